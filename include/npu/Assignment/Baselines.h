// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments as other compilers choose them, and as people write them by hand:
// what a proof of the least cost is measured against. None of them costs less
// than `assignLeast`; each has a bound of 0.

#ifndef NPU_ASSIGNMENT_BASELINES_H
#define NPU_ASSIGNMENT_BASELINES_H

#include "npu/Assignment/Problem.h"

#include <functional>

namespace npu {

/// In the order of the program each operation runs in the way that adds least:
/// its own cost and the moves to forms that did not exist; the first of equal
/// ways. A way is left out if one of its forms cannot be had, or if it or a
/// form that it makes or needs exceeds a row of memory, of any operation,
/// beside the ways and forms so far. Nothing is ever taken back. Errors: an
/// operation has no way left. Precondition of all baselines: `checkProblem`
/// finds nothing.
Result<Assignment, NoAssignment> assignGreedily(const AssignmentProblem &problem);

/// A beam search in the order of the program: the `width` partial assignments
/// that cost least so far are continued by all ways of the next operation.
///
/// Where one of the cheapest exceeds a row of memory of an operation so far,
/// forms are evicted until it does not: of the forms that the row counts, that
/// exist, and that the newest way neither makes nor needs, the one with the
/// furthest next operation that could need it (the one with most bytes of
/// equals) is given up. A form exists or does not for a whole program here, so
/// to give it up means that the operations that made or needed it are chosen
/// again, in their order, each the cheapest way that makes and needs none of
/// the forms given up: usually its value stays in DDR and is loaded from there.
/// Where an operation has no such way, the next form is tried; where none is
/// left, the partial assignment is dropped. Errors: none is left.
Result<Assignment, NoAssignment> assignByBeam(const AssignmentProblem &problem,
                                size_t width = 8);

/// The numbers of the ways of an operation that somebody wants.
using WantedWays = std::function<std::vector<int>(const AssignedOperation &)>;

/// As `assignGreedily`, but an operation runs in one of the wanted ways where
/// one is left, and in another only where none is.
Result<Assignment, NoAssignment> assignAs(const AssignmentProblem &problem,
                            const WantedWays &wanted);

/// The ways that are called `label`, such as "duplicated".
WantedWays waysCalled(std::string label);

/// The ways that split the lowest loop that any way splits by itself over the
/// most tiles: of "split d1 over 4", "split d0 over 2" and "split d0 over 4"
/// the last one. What follows the number of tiles does not matter.
std::vector<int> waysByRows(const AssignedOperation &operation);

/// The cost of the assignment if every move that costs something, between two
/// forms of which neither is DDR, were a store to DDR and a load from there: a
/// value is stored once, and the store costs nothing more where the value
/// exists in DDR anyway. DDR is the form called "ddr"; a value without one, or
/// with one that cannot be reached or left, moves as it did. May be less than
/// the cost of the assignment where a problem's moves are dearer than the trip.
/// Precondition: `checkAssignment` finds nothing.
int64_t costThroughDdr(const AssignmentProblem &problem,
                       const Assignment &assignment);

} // namespace npu

#endif // NPU_ASSIGNMENT_BASELINES_H
