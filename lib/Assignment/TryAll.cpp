// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/LeastCost.h"

namespace npu {
namespace {

/// Goes to the next choice of ways; false after the last one.
bool advance(const AssignmentProblem &problem, std::vector<int> &ways) {
  for (size_t i = 0; i < ways.size(); ++i) {
    if (++ways[i] < static_cast<int>(problem.operations[i].ways.size()))
      return true;
    ways[i] = 0;
  }
  return false;
}

} // namespace

Result<Assignment, NoAssignment> assignByTrying(const AssignmentProblem &problem) {
  std::vector<int> ways(problem.operations.size(), 0);
  Result<Assignment, NoAssignment> best = NoAssignment{"no choice of ways fits"};
  do {
    Result<Assignment, NoAssignment> next = completeWays(problem, ways);
    if (next && (!best || next->cost < best->cost))
      best = std::move(next);
  } while (advance(problem, ways));
  if (best)
    best->bound = best->cost;
  return best;
}

} // namespace npu
