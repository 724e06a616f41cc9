// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that lower layouts to the program of every tile and verify such a
// program. Passes.td describes them.

#ifndef NPU_CONVERSION_LOWERTOTILES_PASSES_H
#define NPU_CONVERSION_LOWERTOTILES_PASSES_H

#include "npu/Dialect/NPU/Transforms/Verify/ReportHostFallbacks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/LowerToTiles/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_LOWERTOTILES_PASSES_H
