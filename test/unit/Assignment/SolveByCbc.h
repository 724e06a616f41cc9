// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optima of assignment problems from cbc, a solver of integer programs.

#ifndef NPU_TEST_UNIT_ASSIGNMENT_SOLVEBYCBC_H
#define NPU_TEST_UNIT_ASSIGNMENT_SOLVEBYCBC_H

#include "npu/Assignment/Problem.h"

#include <optional>

namespace npu {

/// Whether cbc is installed (Debian: coinor-cbc).
bool hasCbc();

/// The optimum that cbc finds; nothing where there is no solution. A test in
/// which cbc fails, fails.
std::optional<int64_t> solveByCbc(const AssignmentProblem &problem);

} // namespace npu

#endif // NPU_TEST_UNIT_ASSIGNMENT_SOLVEBYCBC_H
