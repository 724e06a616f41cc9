// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random assignment problems that are small enough to try everything.

#ifndef NPU_TEST_UNIT_ASSIGNMENT_RANDOMPROBLEM_H
#define NPU_TEST_UNIT_ASSIGNMENT_RANDOMPROBLEM_H

#include "npu/Assignment/Problem.h"

#include <random>

namespace npu {

/// A problem of 1 to `mostOperations` operations: with values that several
/// read, operations with no or two results, layouts that cannot be had, moves
/// that cost nothing, and, in half of the problems, scratchpads that are nearly
/// too small.
AssignmentProblem randomProblem(std::mt19937 &random, int mostOperations);

/// A block of up to `mostOperations` operations, `blocks` times over: each
/// reads what the one before made last, some arguments are shared by all
/// blocks, and others are those of one block.
AssignmentProblem repeatedProblem(std::mt19937 &random, int mostOperations,
                                  int blocks);

/// Replaces the problem's memory: each operation has a row that counts all
/// layouts of the values that are made so far and read by it or later ones.
void crowdMemory(AssignmentProblem &problem, std::mt19937 &random);

/// Adds an operation after all others that reads up to three of the values,
/// whichever operations made them.
void readAfter(AssignmentProblem &problem, std::mt19937 &random);

} // namespace npu

#endif // NPU_TEST_UNIT_ASSIGNMENT_RANDOMPROBLEM_H
