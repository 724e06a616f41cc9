// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preprocessing: removes candidates that are in no feasible assignment.

#ifndef NPU_LIB_ASSIGNMENT_FITTINGCANDIDATES_H
#define NPU_LIB_ASSIGNMENT_FITTINGCANDIDATES_H

#include "npu/Assignment/Problem.h"

#include <functional>

namespace npu {

/// For each operation the candidates that remain. A candidate is removed if it
/// and its layouts exceed a capacity row of its operation, if one of its
/// layouts exceeds any row together with the smallest candidate of that row, or
/// if a layout that it reads cannot be reached from any that is made. No
/// feasible assignment has such a candidate. Where an operation is left without
/// candidates, there is none.
std::vector<std::vector<int>>
fittingCandidates(const AssignmentProblem &problem);

/// The solution of `solve` with these candidates only, in the numbering of the
/// problem; an error if an operation is left without candidates.
Result<Assignment, NoAssignment>
withFittingCandidates(const AssignmentProblem &problem,
                      const std::function<Result<Assignment, NoAssignment>(
                          const AssignmentProblem &)> &solve);

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_FITTINGCANDIDATES_H
