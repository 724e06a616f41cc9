// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from TOSA to linalg, beside upstream's. Passes.td describes them.

#ifndef NPU_CONVERSION_TOSA_PASSES_H
#define NPU_CONVERSION_TOSA_PASSES_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/Tosa/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_TOSA_PASSES_H
