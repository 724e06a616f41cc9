// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How engines and what they do are named, wherever a schedule is shown.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_ROWNAMES_H
#define NPU_LIB_CONVERSION_SCHEDULE_ROWNAMES_H

#include "ListSchedule.h"

namespace npu {

/// "tile 2 matrix", "tile 2 vector" or "dma 0".
std::string nameOfEngine(const ScheduleRow &row);

/// "load", "store" or "move", and for work the name of the operation.
std::string nameOfWork(const ScheduleRow &row);

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_ROWNAMES_H
