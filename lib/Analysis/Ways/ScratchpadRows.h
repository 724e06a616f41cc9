// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to fit in the scratchpads, as rows of the assignment problem.

#ifndef NPU_LIB_ANALYSIS_WAYS_SCRATCHPADROWS_H
#define NPU_LIB_ANALYSIS_WAYS_SCRATCHPADROWS_H

#include "npu/Analysis/Ways/FunctionProblem.h"

namespace npu {

/// Adds to the problem, for every operation and tile, what is in the scratchpad
/// while the operation runs. Its results count with its way. Behind it they are
/// there until the last operation that may need them, or a copy of them; a copy
/// in another form is there from the first operation that may need it until the
/// last. A view keeps what it is a view of; with `viewsStay` it takes no bytes
/// of its own, and cannot be copied to a form that it can be made in. Rows that
/// cannot exceed the scratchpad are left out, as are those that say no more
/// than the row of another tile.
void addScratchpadRows(FunctionProblem &function, const Target &target,
                       int64_t tiles, bool viewsStay);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_WAYS_SCRATCHPADROWS_H
