// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Baselines.h"

#include "Prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace npu {
namespace {

/// The loop and the number of tiles of "split d0 over 4"; nothing of a
/// candidate that is called something else, or of a loop that reduces ("split
/// d2 over 4, combined as duplicated").
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

std::vector<int> noCandidates(const AssignedOperation & /*operation*/) {
  return {};
}

/// The cost of the value, made in layout `from`, in all `layouts`.
int64_t costOfLayouts(const AssignedValue &value, int from,
                      const std::vector<int> &layouts) {
  const std::vector<int64_t> &moves = value.moves[from];
  auto found = std::ranges::find(value.layouts, "ddr");
  int ddr = found == value.layouts.end()
                ? -1
                : static_cast<int>(found - value.layouts.begin());
  bool canStore = ddr >= 0 && ddr != from && moves[ddr] != kImpossible;
  bool isStored = std::ranges::binary_search(layouts, ddr);
  int64_t cost = 0;
  for (int layout : layouts) {
    bool loads = canStore && layout != ddr && moves[layout] > 0 &&
                 value.moves[ddr][layout] != kImpossible;
    cost += loads ? value.moves[ddr][layout] : moves[layout];
    if (loads && !isStored) {
      cost += moves[ddr];
      isStored = true;
    }
  }
  return cost;
}

} // namespace

Result<Assignment, NoAssignment>
assignGreedily(const AssignmentProblem &problem) {
  return assignAs(problem, noCandidates);
}

Result<Assignment, NoAssignment> assignAs(const AssignmentProblem &problem,
                                          const WantedCandidates &wanted) {
  ProblemIndex index(problem);
  Prefix prefix(index);
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    int operation = static_cast<int>(i);
    // The wanted candidates first, each group by cost.
    std::vector<int> preferred = wanted(problem.operations[i]);
    std::vector<int> candidates, others;
    for (int candidate : prefix.candidatesByCost(operation))
      (std::ranges::find(preferred, candidate) != preferred.end() ? candidates
                                                                  : others)
          .push_back(candidate);
    candidates.insert(candidates.end(), others.begin(), others.end());
    auto fits = [&](int candidate) {
      prefix.choose(operation, candidate);
      bool isInMemory = prefix.firstExceeded() < 0;
      if (!isInMemory)
        prefix.takeBack(operation);
      return isInMemory;
    };
    if (std::ranges::none_of(candidates, fits))
      return NoAssignment{
          fmt::format("operation {}: no candidate of it fits with the "
                      "candidates chosen before it",
                      i),
          static_cast<int>(i)};
  }
  return completeAssignment(problem, prefix.allCandidates());
}

WantedCandidates candidatesCalled(std::string label) {
  return [label = std::move(label)](const AssignedOperation &operation) {
    std::vector<int> candidates;
    for (size_t w = 0; w < operation.candidates.size(); ++w)
      if (operation.candidates[w].what == label)
        candidates.push_back(static_cast<int>(w));
    return candidates;
  };
}

std::vector<int> candidatesByRows(const AssignedOperation &operation) {
  std::vector<int> candidates;
  std::pair<int, int> best;
  for (size_t w = 0; w < operation.candidates.size(); ++w) {
    auto split = splitOf(operation.candidates[w].what);
    if (!split)
      continue;
    auto [loop, tiles] = *split;
    std::pair<int, int> rank(loop, -tiles);
    if (candidates.empty() || rank < best) {
      candidates.clear();
      best = rank;
    }
    if (rank == best)
      candidates.push_back(static_cast<int>(w));
  }
  return candidates;
}

int64_t costThroughDdr(const AssignmentProblem &problem,
                       const Assignment &assignment) {
  auto made = valuesMade(problem);
  std::vector<int> madeLayouts(problem.values.size(), 0);
  int64_t cost = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    const Candidate &candidate =
        problem.operations[i].candidates[assignment.candidates[i]];
    cost += candidate.cost;
    for (size_t r = 0; r < made[i].size(); ++r)
      madeLayouts[made[i][r]] = candidate.resultLayouts[r];
  }
  for (size_t v = 0; v < problem.values.size(); ++v)
    cost +=
        costOfLayouts(problem.values[v], madeLayouts[v], assignment.layouts[v]);
  return cost;
}

} // namespace npu
