// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that takes layouts off a function, to get the reference of every
// comparison. Passes.td describes it.

#ifndef NPU_CONVERSION_STRIPLAYOUTS_PASSES_H
#define NPU_CONVERSION_STRIPLAYOUTS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/StripLayouts/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_STRIPLAYOUTS_PASSES_H
