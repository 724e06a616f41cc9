// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways that memory, or moves that cannot be made, leave to an operation
// whatever others do.

#ifndef NPU_LIB_ASSIGNMENT_FITTINGWAYS_H
#define NPU_LIB_ASSIGNMENT_FITTINGWAYS_H

#include "npu/Assignment/Problem.h"

#include <functional>

namespace npu {

/// For each operation the ways that remain. A way goes if it and the forms that
/// it makes and needs exceed a row of its operation by themselves, if one of
/// these forms exceeds any row beside the smallest way of that row, or if a
/// form that it needs cannot be had from any that is made. No assignment has a
/// way that goes. Where an operation is left without ways, nothing fits.
std::vector<std::vector<int>> fittingWays(const AssignmentProblem &problem);

/// What `solve` finds with these ways alone, in the numbers of the problem; an
/// error if an operation is left without ways.
Result<Assignment, NoAssignment> withFittingWays(
    const AssignmentProblem &problem,
    const std::function<Result<Assignment, NoAssignment>(const AssignmentProblem &)> &solve);

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_FITTINGWAYS_H
