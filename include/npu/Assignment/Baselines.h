// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simple strategies, as other compilers and people use them, that the least
// cost is compared with. None costs less than `assignLeast`; each has a bound
// of 0.

#ifndef NPU_ASSIGNMENT_BASELINES_H
#define NPU_ASSIGNMENT_BASELINES_H

#include "npu/Assignment/Problem.h"

#include <functional>

namespace npu {

/// Greedy: in program order each operation takes the candidate that adds least,
/// which is its own cost and the moves to layouts that did not exist; the first
/// of equal candidates. A candidate is skipped if one of its layouts cannot be
/// reached, or if it or one of its layouts exceeds a capacity row, of any
/// operation, together with the choices so far. No choice is revised. Errors:
/// an operation has no candidate left. Precondition of all baselines:
/// `checkProblem` finds nothing.
Result<Assignment, NoAssignment>
assignGreedily(const AssignmentProblem &problem);

/// A beam search in program order: the `width` cheapest partial assignments are
/// extended by all candidates of the next operation.
///
/// Where one of them exceeds a capacity row of an operation so far, layouts are
/// evicted: of the existing layouts that the row counts and that the newest
/// candidate does not use, the one with the furthest next use (Belady's rule),
/// of equals the largest. A layout exists for the whole program or not at all,
/// so to evict it means to choose again, in their order, for all operations
/// that made or read it, each time the cheapest candidate that uses no evicted
/// layout; usually the value is then stored to DDR and loaded from there. Where
/// an operation has no such candidate, the next layout is tried; where none is
/// left, the partial assignment is dropped. Errors: none is left.
Result<Assignment, NoAssignment> assignByBeam(const AssignmentProblem &problem,
                                              size_t width = 8);

/// Chooses preferred candidates of an operation, by number.
using WantedCandidates =
    std::function<std::vector<int>(const AssignedOperation &)>;

/// Like `assignGreedily`, but an operation takes a wanted candidate wherever
/// one is left.
Result<Assignment, NoAssignment> assignAs(const AssignmentProblem &problem,
                                          const WantedCandidates &wanted);

/// The candidates with this label, such as "duplicated".
WantedCandidates candidatesCalled(std::string label);

/// The candidates that split only the lowest loop that any of them splits
/// alone, over the most tiles: of "split d1 over 4", "split d0 over 2" and
/// "split d0 over 4" the last one. What follows the number of tiles does not
/// matter.
std::vector<int> candidatesByRows(const AssignedOperation &operation);

/// The cost of the assignment if every move with a cost between two layouts
/// other than DDR were a store to DDR and a load from there. A value is stored
/// once, and the store is free where the value exists in DDR anyway. DDR is the
/// layout called "ddr"; a value without one, or with one that cannot be reached
/// or left, moves as before. The result may be below the cost of the assignment
/// where a direct move costs more. Precondition: `checkAssignment` finds
/// nothing.
int64_t costThroughDdr(const AssignmentProblem &problem,
                       const Assignment &assignment);

} // namespace npu

#endif // NPU_ASSIGNMENT_BASELINES_H
