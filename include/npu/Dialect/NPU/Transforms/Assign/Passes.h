// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that gives tensors their layouts. Passes.td describes it.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_ASSIGN_PASSES_H
