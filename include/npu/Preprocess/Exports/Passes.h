// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that takes a computation out of the program around it.
// Passes.td describes it.

#ifndef NPU_PREPROCESS_EXPORTS_PASSES_H
#define NPU_PREPROCESS_EXPORTS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Preprocess/Exports/Passes.h.inc"

} // namespace npu

#endif // NPU_PREPROCESS_EXPORTS_PASSES_H
