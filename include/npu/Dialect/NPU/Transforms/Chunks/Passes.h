// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that runs a prompt in several calls of one function. Passes.td
// describes it.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_CHUNKS_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_CHUNKS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Chunks/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_CHUNKS_PASSES_H
