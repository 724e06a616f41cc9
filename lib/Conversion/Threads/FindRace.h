// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a schedule keeps conflicting operations in program order.

#ifndef NPU_LIB_CONVERSION_THREADS_FINDRACE_H
#define NPU_LIB_CONVERSION_THREADS_FINDRACE_H

#include "TileSchedule.h"

namespace npu {

/// Two operations that may touch the same memory, at least one of which writes
/// it, and which the schedule does not keep in program order; nothing when
/// there are none. The first of the two is the earlier one in the program.
///
/// The sweep visits accesses in the order of the schedule, and records for
/// every part of a buffer the access that is latest in the program. The cost of
/// an access is the number of parts that overlap its own, not the number of all
/// accesses.
std::optional<std::pair<mlir::Operation *, mlir::Operation *>>
findRace(llvm::ArrayRef<ScheduledOp> ops);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_FINDRACE_H
