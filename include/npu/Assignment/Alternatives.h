// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the assignment would cost with another candidate of one operation, all
// else unchanged: explains why it was chosen.

#ifndef NPU_ASSIGNMENT_ALTERNATIVES_H
#define NPU_ASSIGNMENT_ALTERNATIVES_H

#include "npu/Assignment/Problem.h"

#include <memory>

namespace npu {

struct Alternative {
  int candidate = 0;
  /// The cost of the whole assignment; nothing where it is infeasible.
  std::optional<int64_t> cost;
  /// Why it is infeasible: a layout that cannot be reached, or a scratchpad
  /// that is too small. Empty where it is feasible.
  std::string forbidden;
};

class Prefix;
class ProblemIndex;

class Alternatives {
public:
  /// Both arguments outlive this. Precondition: `checkAssignment` finds
  /// nothing.
  Alternatives(const AssignmentProblem &problem, const Assignment &assignment);
  ~Alternatives();

  /// One for each candidate of `operation`, in their order; the chosen one
  /// costs `assignment.cost`. Layouts that only the changed operation read are
  /// not paid for. The time does not depend on the size of the problem.
  std::vector<Alternative> of(int operation);

private:
  Alternative change(int operation, int candidate);

  std::unique_ptr<ProblemIndex> index;
  std::unique_ptr<Prefix> chosen;
};

} // namespace npu

#endif // NPU_ASSIGNMENT_ALTERNATIVES_H
