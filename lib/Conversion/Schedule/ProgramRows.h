// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a function whose scratchpads are planned: what engines do, with
// loops unrolled, and what each waits for.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_PROGRAMROWS_H
#define NPU_LIB_CONVERSION_SCHEDULE_PROGRAMROWS_H

#include "ListSchedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace npu {

struct ProgramRows {
  Schedule schedule;
  /// The bytes of each argument, constant and result in DDR that the function
  /// reads or writes, once: reads and writes apart.
  int64_t readOnce = 0, writtenOnce = 0;
  /// Operations on tiles without marks of cycles, and the first of them.
  int64_t unmarked = 0;
  mlir::Operation *firstUnmarked = nullptr;
  /// Loops whose rounds nobody knows, each of which counts as one round.
  llvm::SetVector<mlir::Operation *> unknownLoops;
};

/// The rows, without times. `keepsRanges` says whether the ranges of bytes that
/// rows read and write are kept. An error where a buffer of a tile has no place
/// that is known, or where there are too many rows.
mlir::FailureOr<ProgramRows> rowsOf(mlir::func::FuncOp function,
                                    const Target &target, bool keepsRanges);

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_PROGRAMROWS_H
