// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what a plan had to pack, so that other solvers can be tried on it.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_PACKINGPROBLEMS_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_PACKINGPROBLEMS_H

#include "PlanFunctions.h"

namespace npu {

/// Writes a table of buffers for each function and tile, DIRECTORY/main.0.csv
/// for tile 0 of @main. Buffers that
/// replace one another in place are one. An error at `op` where a file cannot
/// be written.
llvm::LogicalResult
writePackingProblems(mlir::Operation *op, llvm::StringRef directory,
                     llvm::ArrayRef<PlannedFunction> functions);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_PACKINGPROBLEMS_H
