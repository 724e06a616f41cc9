// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An assignment problem as an integer program, for solvers that know nothing of
// this project.

#ifndef NPU_TEST_UNIT_ASSIGNMENT_LINEARPROGRAM_H
#define NPU_TEST_UNIT_ASSIGNMENT_LINEARPROGRAM_H

#include "npu/Assignment/Problem.h"

namespace npu {

/// The problem in the LP format that cbc, GLPK, HiGHS and others read. Binary
/// variables: `w3_1` is 1 if operation 3 runs in candidate 1, `x5_2` if value 5
/// exists in layout 2. `z5_0_2` is at least 1 if, besides, value 5 was made in
/// layout 0: then the move costs something. The optimum of the program is the
/// least cost; it has no solution where nothing fits. Precondition:
/// `checkProblem` finds nothing.
std::string linearProgram(const AssignmentProblem &problem);

} // namespace npu

#endif // NPU_TEST_UNIT_ASSIGNMENT_LINEARPROGRAM_H
