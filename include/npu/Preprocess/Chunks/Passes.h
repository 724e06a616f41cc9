// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that runs a prompt in several calls of one function. Passes.td
// describes it.

#ifndef NPU_PREPROCESS_CHUNKS_PASSES_H
#define NPU_PREPROCESS_CHUNKS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Preprocess/Chunks/Passes.h.inc"

} // namespace npu

#endif // NPU_PREPROCESS_CHUNKS_PASSES_H
