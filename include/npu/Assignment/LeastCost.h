// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least cost of an assignment problem, with a proof of optimality or a
// bound.
//
// assignLeast() is dynamic programming over the operations in program order
// with dominance, pruned by admissible bounds from Lagrangian duals. The parts,
// from the bottom:
//
// Problem.h: the problem. LeastBytes.h: lower bounds of capacity rows.
// FittingCandidates.h: preprocessing. Lifetimes.h: live ranges of layouts.
// RowsAhead.h: forward checking of capacity rows. Sharing.h, Duals.h: the dual
// bound, by block coordinate ascent on min-marginals. CapacityMultipliers.h:
// the relaxed capacity rows. ValueStates.h, Frontier.h: states and dominance.
// Search.h: a pass of the dynamic program, and the subgradient steps.
// EqualLayers.h: repeated layers. LeastCost.cpp: the order in which they are
// tried.
//
// docs/design/0016 has the reasons and the literature.

#ifndef NPU_ASSIGNMENT_LEASTCOST_H
#define NPU_ASSIGNMENT_LEASTCOST_H

#include "npu/Assignment/Problem.h"

namespace npu {

/// Limits of the search.
struct SearchLimits {
  /// The most partial assignments that are kept between two operations.
  size_t states = 20000;
  /// The same for all operations together, which bounds the time of long
  /// programs. At least one is kept between two operations.
  size_t allStates = 100000;
  /// Whether equal layers are solved once. Off for tests.
  bool layersOnce = true;
  /// For one solution of many: omits the capacity multipliers, which raise the
  /// bound where capacity rows bind, and runs the baselines only where the
  /// search finds nothing. Both take most of the time of a narrow search.
  bool isQuick = false;
  /// Whether the search leaves later operations the least room that they need.
  /// Without, it gives up sooner, and finds others of many equal solutions.
  bool looksAhead = true;
  /// A lower bound that is known beforehand.
  int64_t bound = 0;
};

/// How an assignment was found.
struct SearchRecord {
  /// The number of equal layers that were solved once and gave the solution,
  /// and the operations of each; 0 where the search went through all
  /// operations.
  int equalLayers = 0;
  int operationsEach = 0;
};

/// The assignment of least cost. The search keeps one partial assignment
/// between two operations at first and then more, until the assignment is
/// proved optimal (`bound` is `cost`) or the limits are reached. In the latter
/// case `bound` is the least lower bound of anything that was dropped, and
/// `cost` is at most that of the greedy and the beam baseline, unless the
/// search is quick. Time is linear in the number of operations.
///
/// Of more than three equal layers three are searched. Their duals give a bound
/// of the whole problem; where it is the cost of their candidates in all
/// layers, nothing else is searched. Errors: nothing fits in memory, with the
/// capacity row that whatever is chosen exceeds or the first operation that has
/// no candidate left; or nothing was found within the limits, with the row that
/// is filled most. Precondition: `checkProblem` finds nothing.
Result<Assignment, NoAssignment> assignLeast(const AssignmentProblem &problem,
                                             const SearchLimits &limits = {},
                                             SearchRecord *record = nullptr);

/// The same by exhaustive search, for tests. Precondition: few operations.
Result<Assignment, NoAssignment>
assignByTrying(const AssignmentProblem &problem);

} // namespace npu

#endif // NPU_ASSIGNMENT_LEASTCOST_H
