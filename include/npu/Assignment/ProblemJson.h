// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignment problems and their solutions as JSON: what `report=` of
// npu-assign-distributions writes for each function, and what tests read.

#ifndef NPU_ASSIGNMENT_PROBLEMJSON_H
#define NPU_ASSIGNMENT_PROBLEMJSON_H

#include "npu/Assignment/Problem.h"

#include <string_view>

namespace npu {

/// A problem, the function that it is of, and what was found.
struct AssignmentReport {
  std::string name;
  std::string target;
  AssignmentProblem problem;
  std::optional<Assignment> solution;

  bool operator==(const AssignmentReport &) const = default;
};

/// {"functions": [{"name": ..., "target": ..., "unit": "cycles", "operations":
/// ..., "values": ..., "memory": ..., "solution": ...}]}. The members "ways"
/// (candidates), "forms" (layouts), "makes" (result layouts) and "needs"
/// (operand layouts) keep the names that readers of the format know. Operations
/// and values have their numbers as "id"; "made_by" is null for arguments and
/// constants; an element of "needs" is [value, layout]; a move that does not
/// exist is null; a term of a capacity row is [operation, candidate, bytes] or
/// [value, layout, bytes]. Ends with a newline.
std::string assignmentJson(const std::vector<AssignmentReport> &reports);

/// The reports of such a text. Errors: what is no JSON, with line and column; a
/// member that is missing or of another kind, with its path; what
/// `checkProblem` finds.
Result<std::vector<AssignmentReport>> readAssignmentJson(std::string_view text);

} // namespace npu

#endif // NPU_ASSIGNMENT_PROBLEMJSON_H
