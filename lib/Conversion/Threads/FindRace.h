// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of a schedule: that nothing in it runs too early.

#ifndef NPU_LIB_CONVERSION_THREADS_FINDRACE_H
#define NPU_LIB_CONVERSION_THREADS_FINDRACE_H

#include "TileSchedule.h"

namespace npu {

/// Two operations that may touch the same memory, at least one writing it, and
/// that the schedule does not keep in program order; null when there are none.
/// The first of the two is the earlier one in the program.
///
/// It looks at the accesses in the order of the schedule, and remembers of
/// every part of a buffer the access that is latest in the program. What an
/// access costs is as many parts as overlap its own, not as many accesses as
/// there are.
std::optional<std::pair<mlir::Operation *, mlir::Operation *>>
findRace(llvm::ArrayRef<ScheduledOp> ops);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_FINDRACE_H
