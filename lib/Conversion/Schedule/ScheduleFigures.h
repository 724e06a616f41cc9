// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule comes to: the figures of all of it, and how long its rows
// wait.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_SCHEDULEFIGURES_H
#define NPU_LIB_CONVERSION_SCHEDULE_SCHEDULEFIGURES_H

#include "ProgramRows.h"
#include "npu/Conversion/Schedule/ModelledRun.h"

namespace npu {

/// Rows by their begin, and rows of one begin as they come.
std::vector<RowId> inOrderOfTime(const Schedule &schedule);

/// `order` is that of inOrderOfTime.
ScheduleSummary summarize(const ProgramRows &program,
                          const std::vector<RowId> &order,
                          const Target &target);

/// For each row, how long the engine of a tile that it needs has had no work
/// when it begins. What takes no time, and what moves, waits for nothing.
std::vector<int64_t> waitingOfRows(const Schedule &schedule,
                                   const std::vector<RowId> &order);

/// What each location takes, those that wait longest first.
std::vector<TimesOfPlace> timesOfPlaces(const Schedule &schedule,
                                        const std::vector<RowId> &order);

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_SCHEDULEFIGURES_H
