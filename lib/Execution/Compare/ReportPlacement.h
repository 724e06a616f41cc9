// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-run says of the devices that a program ran on.

#ifndef NPU_LIB_EXECUTION_COMPARE_REPORTPLACEMENT_H
#define NPU_LIB_EXECUTION_COMPARE_REPORTPLACEMENT_H

#include "npu/Execution/Compare/RunSides.h"

namespace npu {

/// Writes the placement report of the function with the executions of its runs,
/// and holds it against what was executed: an error line for each difference.
/// Nothing where no report was asked for, or nothing ran.
mlir::LogicalResult reportPlacement(Sides &sides, const RunOptions &options,
                                    llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_REPORTPLACEMENT_H
