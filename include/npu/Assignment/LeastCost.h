// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least cost of an assignment problem, with a proof or a bound.

#ifndef NPU_ASSIGNMENT_LEASTCOST_H
#define NPU_ASSIGNMENT_LEASTCOST_H

#include "npu/Assignment/Problem.h"

namespace npu {

/// How far the search goes before it gives up the proof.
struct SearchLimits {
  /// Partial assignments that are kept between two operations.
  size_t states = 20000;
};

/// An assignment of least cost, found by dynamic programming over the program:
/// between two operations, partial assignments are alike if every form that
/// later operations may need costs the same in them and the same forms take
/// memory later; of those that are alike the cheapest stays, and one that costs
/// no less than another with all it lacks goes. Where no more than
/// `limits.states` are left everywhere, the assignment is proved: `bound` is
/// `cost`. Otherwise the cheapest are kept, and `bound` is the least that any
/// dropped one could have led to. Time is linear in the number of operations
/// where few values live between any two. Errors: nothing fits in memory, with
/// the first operation that has no way left; or nothing was found within the
/// limits. Precondition: `checkProblem` finds nothing.
Result<Assignment> assignLeast(const AssignmentProblem &problem,
                               const SearchLimits &limits = {});

/// The same by trying all ways: for tests. Precondition: few operations.
Result<Assignment> assignByTrying(const AssignmentProblem &problem);

} // namespace npu

#endif // NPU_ASSIGNMENT_LEASTCOST_H
