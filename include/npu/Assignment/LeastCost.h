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
  /// The same for all operations together: what bounds the time of long
  /// programs. At least one is kept between two operations.
  size_t allStates = 100000;
  /// Equal layers are solved once. Without, the search goes through all
  /// operations: for tests.
  bool layersOnce = true;
  /// For one answer of many: no prices of memory are looked for, which raise
  /// the bound where rows of memory bind, and the baselines are asked only
  /// where the search finds nothing. Both take most of the time of a narrow
  /// search.
  bool isQuick = false;
  /// No assignment costs less, as is known beforehand.
  int64_t bound = 0;
};

/// How an assignment was found.
struct SearchRecord {
  /// The equal layers that were solved once and give the answer, and the
  /// operations of each; 0 where the search went through all operations.
  int equalLayers = 0;
  int operationsEach = 0;
};

/// An assignment of least cost, found by dynamic programming over the program:
/// between two operations, partial assignments are alike if every form that
/// later operations may need costs the same in them and the same forms take
/// memory later; of those that are alike the cheapest stays, and one that costs
/// no less than another with all it lacks goes. Prices of forms say what each
/// of them can lead to at least. The search keeps one of them at first, then
/// more, until the assignment is proved, `bound` being `cost`, or the limits
/// are reached. Then `bound` is the least that anything that was dropped could
/// have led to, and `cost` is no more than what the greedy and the beam
/// baselines find, unless the search is quick. Time is linear in the number of
/// operations.
///
/// Of more than three equal layers only three are searched. The prices found
/// there are a bound of the whole problem, too, and where it is the cost of the
/// same ways in all layers nothing else is looked at. Errors: nothing
/// fits in memory, with the first operation that has no way left; or nothing
/// was found within the limits. Precondition: `checkProblem` finds nothing.
Result<Assignment, NoAssignment> assignLeast(const AssignmentProblem &problem,
                               const SearchLimits &limits = {},
                               SearchRecord *record = nullptr);

/// The same by trying all ways: for tests. Precondition: few operations.
Result<Assignment, NoAssignment> assignByTrying(const AssignmentProblem &problem);

} // namespace npu

#endif // NPU_ASSIGNMENT_LEASTCOST_H
