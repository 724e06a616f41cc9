// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule as a picture for terminals.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_TIMELINE_H
#define NPU_LIB_CONVERSION_SCHEDULE_TIMELINE_H

#include "ListSchedule.h"

namespace npu {

/// The columns that the time is cut into, fewer where an engine has a long
/// name: lines have at most 80 columns.
inline constexpr size_t columnsOfTimeline = 60;

/// What the characters of a timeline say.
inline constexpr llvm::StringLiteral timelineLegend =
    "# at work   + more than half of the time   . less";

/// One line for each engine, in which each column is an equal part of the
/// time: full, partly or not at work. At most `mostEngines` lines, or all of
/// them for 0.
std::string timelineOf(const Schedule &schedule, size_t mostEngines);

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_TIMELINE_H
