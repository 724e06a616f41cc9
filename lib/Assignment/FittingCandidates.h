// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preprocessing: removes candidates that are in no feasible assignment.

#ifndef NPU_LIB_ASSIGNMENT_FITTINGCANDIDATES_H
#define NPU_LIB_ASSIGNMENT_FITTINGCANDIDATES_H

#include "npu/Assignment/Problem.h"

#include <functional>

namespace npu {

struct FittingCandidates {
  /// For each operation the candidates that remain, in their order.
  std::vector<std::vector<int>> candidates;
  /// The row that whatever is chosen of them fills most.
  std::optional<RowBytes> fullest;

  bool provesNothingFits() const {
    return fullest && fullest->bytes > fullest->capacity;
  }
};

/// Removes candidates and layouts until nothing changes. A candidate is removed
/// if its row's least bytes (LeastBytes.h) with it exceed the capacity, if
/// those of any row with one of its layouts do, or if a layout that it reads
/// cannot be reached from any that is made. No feasible assignment has such a
/// candidate. Where an operation is left without candidates, there is none.
/// Without `looksAhead`, rows are charged for nothing that operations make
/// (LeastBytes.h), so that more candidates remain.
FittingCandidates fittingCandidates(const AssignmentProblem &problem,
                                    bool looksAhead = true);

/// The problem with these candidates only. Precondition: each operation has
/// one.
AssignmentProblem
withCandidates(const AssignmentProblem &problem,
               const std::vector<std::vector<int>> &candidates);

/// The solution of `solve` with these candidates only, in the numbering of the
/// problem; an error if an operation is left without candidates. Errors tell
/// the fullest row.
Result<Assignment, NoAssignment>
withFittingCandidates(const AssignmentProblem &problem,
                      const std::function<Result<Assignment, NoAssignment>(
                          const AssignmentProblem &)> &solve,
                      bool looksAhead = true);

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_FITTINGCANDIDATES_H
