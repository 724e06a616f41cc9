// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule comes to: the figures of all of it, and how long its rows
// wait.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_SCHEDULEFIGURES_H
#define NPU_LIB_CONVERSION_SCHEDULE_SCHEDULEFIGURES_H

#include "ProgramRows.h"
#include "npu/Conversion/Schedule/ModelledRun.h"

namespace npu {

/// The rows of a function at their times.
struct ScheduledFunction {
  ProgramRows program;
  /// Rows by their begin, and rows of one begin as they come.
  std::vector<RowId> order;
  ScheduleSummary summary;
};

/// Schedules a function of the phase `scratchpad`. Errors as those of rowsOf().
/// Precondition: verifyScratchpadPlans() accepts its module.
mlir::FailureOr<ScheduledFunction> scheduleFunction(mlir::func::FuncOp function,
                                                    const Target &target,
                                                    bool keepsRanges);

/// For each row, how long the engine of a tile that it needs has had no work
/// when it begins. What takes no time, and what moves, waits for nothing.
std::vector<int64_t> waitingOfRows(const Schedule &schedule,
                                   const std::vector<RowId> &order);

/// What each location takes, those that wait longest first.
std::vector<TimesOfPlace> timesOfPlaces(const Schedule &schedule,
                                        const std::vector<RowId> &order);

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_SCHEDULEFIGURES_H
