// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modelled run of a program of buffers: which engine does what when.
// Passes.td describes the passes.

#ifndef NPU_CONVERSION_SCHEDULE_PASSES_H
#define NPU_CONVERSION_SCHEDULE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/Schedule/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_SCHEDULE_PASSES_H
