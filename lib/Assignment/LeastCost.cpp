// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/LeastCost.h"

#include "Search.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

/// Passes that keep so many times more partial assignments than the one before:
/// a narrow one often proves what it finds, and gives a wider one a cost below
/// which to look.
constexpr size_t kWiden = 16;

} // namespace

Result<Assignment> assignLeast(const AssignmentProblem &problem,
                               const SearchLimits &limits) {
  Search search(problem);
  std::optional<Assignment> best;
  int64_t bound = std::max<int64_t>(search.bound(), 0);
  size_t most = std::max<size_t>(limits.states, 1);
  for (size_t width = 1;; width = std::min(width * kWiden, most)) {
    Search::Outcome found =
        search.run(width, best ? best->cost : Search::kNone);
    if (!found.ways.empty() || problem.operations.empty()) {
      Result<Assignment> complete = completeWays(problem, found.ways);
      if (!complete)
        return complete;
      best = std::move(*complete);
    }
    if (!best && found.dropped == Search::kNone)
      return Error{
          fmt::format("operation {}: no way of it fits with any choice of "
                      "ways before it",
                      found.stuckAt)};
    if (best) {
      // What was left out beside that cannot be cheaper.
      bound = std::max(bound, std::min(best->cost, found.dropped));
      best->bound = std::min(bound, best->cost);
      if (best->isProved() || width == most)
        return *best;
    } else if (width == most) {
      return Error{fmt::format("operation {}: nothing that fits was found with "
                               "{} partial assignments",
                               found.stuckAt, most)};
    }
  }
}

} // namespace npu
