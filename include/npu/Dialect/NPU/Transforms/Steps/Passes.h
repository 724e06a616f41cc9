// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that runs operations in steps. Passes.td describes it.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_STEPS_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_STEPS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Steps/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_STEPS_PASSES_H
