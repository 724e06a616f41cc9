// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one operation's other ways would have cost, all others staying as they
// are: why an assignment is what it is.

#ifndef NPU_ASSIGNMENT_ALTERNATIVES_H
#define NPU_ASSIGNMENT_ALTERNATIVES_H

#include "npu/Assignment/Problem.h"

#include <memory>

namespace npu {

struct Alternative {
  int way = 0;
  /// What the whole assignment would cost; nothing where it is forbidden.
  std::optional<int64_t> cost;
  /// Why it cannot be had: a form that cannot be made, or a scratchpad that is
  /// too small. Empty where it can.
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

  /// One for each way of `operation`, in their order; the chosen one costs
  /// `assignment.cost`. Values get the fewest forms, so that a form that only
  /// this operation needed is not paid any more. The time does not grow with
  /// the problem.
  std::vector<Alternative> of(int operation);

private:
  Alternative change(int operation, int way);

  std::unique_ptr<ProblemIndex> index;
  std::unique_ptr<Prefix> chosen;
};

} // namespace npu

#endif // NPU_ASSIGNMENT_ALTERNATIVES_H
