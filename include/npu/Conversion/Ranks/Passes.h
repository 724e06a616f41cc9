// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that divide a tile program among processes that exchange messages
// (MPI). Passes.td describes them.

#ifndef NPU_CONVERSION_RANKS_PASSES_H
#define NPU_CONVERSION_RANKS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "npu/Conversion/Ranks/Passes.h.inc"

} // namespace npu

#endif // NPU_CONVERSION_RANKS_PASSES_H
