// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that print placements, transfers and costs as text or JSON.
// Passes.td describes them.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_REPORTS_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_REPORTS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Reports/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_REPORTS_PASSES_H
