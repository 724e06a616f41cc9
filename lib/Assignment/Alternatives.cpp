// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Alternatives.h"

namespace npu {

std::vector<Alternative> alternatives(const AssignmentProblem &problem,
                                      const Assignment &assignment,
                                      int operation) {
  std::vector<Alternative> found;
  std::vector<int> ways = assignment.ways;
  auto count = static_cast<int>(problem.operations[operation].ways.size());
  for (int way = 0; way < count; ++way) {
    ways[operation] = way;
    Alternative alternative;
    alternative.way = way;
    Result<Assignment> changed = completeWays(problem, ways);
    if (changed)
      alternative.cost = changed->cost;
    else
      alternative.forbidden = changed.error();
    found.push_back(std::move(alternative));
  }
  return found;
}

} // namespace npu
