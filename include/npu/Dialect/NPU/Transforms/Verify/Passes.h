// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that accepts or refuses distributions. Passes.td describes it.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_VERIFY_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_VERIFY_PASSES_H

#include "npu/Dialect/NPU/Transforms/Verify/ReportHostFallbacks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_VERIFY_PASSES_H
