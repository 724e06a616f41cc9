// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that place every buffer in its tile's scratchpad. Passes.td describes
// them.

#ifndef NPU_CONVERSION_PLANSCRATCHPAD_PASSES_H
#define NPU_CONVERSION_PLANSCRATCHPAD_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/PlanScratchpad/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_PLANSCRATCHPAD_PASSES_H
