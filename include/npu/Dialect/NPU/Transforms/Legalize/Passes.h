// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that make distributions agree, and that raise data movement to
// npu.permute_cast where no byte moves. Passes.td describes them.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_PASSES_H
#define NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_PASSES_H

#include "npu/Dialect/NPU/Transforms/Verify/ReportHostFallbacks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h.inc"

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_LEGALIZE_PASSES_H
