// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Baselines.h"

#include "Prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace npu {
namespace {

/// The loop and the number of tiles of "split d0 over 4"; nothing of a way that
/// is called something else, or of a loop that reduces ("split d2 over 4,
/// combined as duplicated").
std::optional<std::pair<int, int>> splitOf(std::string_view what) {
  auto take = [&](std::string_view word) {
    bool begins = what.starts_with(word);
    if (begins)
      what.remove_prefix(word.size());
    return begins;
  };
  auto takeNumber = [&](int &number) {
    auto [end, error] =
        std::from_chars(what.data(), what.data() + what.size(), number);
    what.remove_prefix(end - what.data());
    return error == std::errc();
  };
  int loop = 0, tiles = 0;
  if (take("split d") && takeNumber(loop) && take(" over ") &&
      takeNumber(tiles) && !what.starts_with(", combined"))
    return std::pair(loop, tiles);
  return {};
}

std::vector<int> noWays(const AssignedOperation & /*operation*/) { return {}; }

} // namespace

Result<Assignment, NoAssignment> assignGreedily(const AssignmentProblem &problem) {
  return assignAs(problem, noWays);
}

Result<Assignment, NoAssignment> assignAs(const AssignmentProblem &problem,
                            const WantedWays &wanted) {
  ProblemIndex index(problem);
  Prefix prefix(index);
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    int operation = static_cast<int>(i);
    // The wanted ways first, and among each the cheapest.
    std::vector<int> preferred = wanted(problem.operations[i]);
    std::vector<int> ways, others;
    for (int way : prefix.waysByCost(operation))
      (std::ranges::find(preferred, way) != preferred.end() ? ways : others)
          .push_back(way);
    ways.insert(ways.end(), others.begin(), others.end());
    auto fits = [&](int way) {
      prefix.choose(operation, way);
      bool isInMemory = prefix.firstExceeded() < 0;
      if (!isInMemory)
        prefix.takeBack(operation);
      return isInMemory;
    };
    if (std::ranges::none_of(ways, fits))
      return NoAssignment{fmt::format("operation {}: no way of it fits with "
                                      "the ways chosen before it",
                                      i),
                          static_cast<int>(i)};
  }
  return completeWays(problem, prefix.allWays());
}

WantedWays waysCalled(std::string label) {
  return [label = std::move(label)](const AssignedOperation &operation) {
    std::vector<int> ways;
    for (size_t w = 0; w < operation.ways.size(); ++w)
      if (operation.ways[w].what == label)
        ways.push_back(static_cast<int>(w));
    return ways;
  };
}

std::vector<int> waysByRows(const AssignedOperation &operation) {
  std::vector<int> ways;
  std::pair<int, int> best;
  for (size_t w = 0; w < operation.ways.size(); ++w) {
    auto split = splitOf(operation.ways[w].what);
    if (!split)
      continue;
    auto [loop, tiles] = *split;
    std::pair<int, int> rank(loop, -tiles);
    if (ways.empty() || rank < best) {
      ways.clear();
      best = rank;
    }
    if (rank == best)
      ways.push_back(static_cast<int>(w));
  }
  return ways;
}

} // namespace npu
