// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that decides in which element types operations compute.
// Passes.td describes it.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_PRECISION_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_PRECISION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Precision/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_PRECISION_PASSES_H
