// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FittingCandidates.h"

#include "LeastBytes.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

class Fitting {
public:
  Fitting(const AssignmentProblem &problem, bool looksAhead)
      : problem(problem), looksAhead(looksAhead), made(valuesMade(problem)) {
    for (const AssignedOperation &operation : problem.operations) {
      candidates.emplace_back();
      for (size_t w = 0; w < operation.candidates.size(); ++w)
        candidates.back().push_back(static_cast<int>(w));
    }
    for (const AssignedValue &value : problem.values)
      possible.emplace_back(value.layouts.size(), true);
  }

  FittingCandidates run() {
    // Removing one candidate can make others impossible, and leaves the rest of
    // a row less room.
    for (bool changed = true; changed && !isEmpty();) {
      changed = dropByBytes();
      dropUnreachable();
      changed |= dropCandidates();
    }
    return {std::move(candidates), fullest};
  }

private:
  bool isEmpty() const {
    return std::ranges::any_of(
        candidates, [](const std::vector<int> &left) { return left.empty(); });
  }

  bool isGiven(ValueLayout layout) const {
    return problem.values[layout.value].madeBy < 0 && layout.layout == 0;
  }

  /// Drops the candidates and layouts that exceed a row whatever else is
  /// chosen; whether there was a candidate.
  bool dropByBytes() {
    LeastBytes leastBytes(problem, made, candidates, looksAhead);
    fullest.reset();
    size_t dropped = 0;
    for (const CapacityRow &row : problem.memory) {
      LeastBytes::Row least = leastBytes.of(row);
      RowBytes here{row.at, row.tile, least.bytes, row.capacity};
      // Compared as fractions of capacities, which may differ.
      if (!fullest || isFuller(here, *fullest))
        fullest = here;
      for (size_t t = 0; t < row.layouts.size(); ++t)
        if (ValueLayout layout = row.layouts[t].layout;
            !isGiven(layout) && least.withLayouts[t] > row.capacity)
          possible[layout.value][layout.layout] = false;
      std::vector<int> left;
      for (size_t k = 0; k < least.withCandidates.size(); ++k)
        if (least.withCandidates[k] <= row.capacity)
          left.push_back(candidates[row.at][k]);
      if (left.size() == candidates[row.at].size())
        continue;
      dropped += candidates[row.at].size() - left.size();
      candidates[row.at] = std::move(left);
      if (candidates[row.at].empty())
        break;
    }
    return dropped > 0;
  }

  static bool isFuller(const RowBytes &a, const RowBytes &b) {
    return static_cast<long double>(a.bytes) *
               static_cast<long double>(std::max<int64_t>(b.capacity, 1)) >
           static_cast<long double>(b.bytes) *
               static_cast<long double>(std::max<int64_t>(a.capacity, 1));
  }

  /// Drops layouts that cannot be reached from any layout that is made.
  void dropUnreachable() {
    for (size_t v = 0; v < possible.size(); ++v) {
      const AssignedValue &value = problem.values[v];
      std::vector<bool> reached(value.layouts.size(), false);
      auto reach = [&](int from) {
        if (possible[v][from])
          for (size_t to = 0; to < reached.size(); ++to)
            if (value.moves[from][to] != kImpossible)
              reached[to] = true;
      };
      if (value.madeBy < 0) {
        reach(0);
      } else {
        size_t result =
            std::ranges::find(made[value.madeBy], static_cast<int>(v)) -
            made[value.madeBy].begin();
        std::vector<bool> isMade(value.layouts.size(), false);
        for (int candidate : candidates[value.madeBy])
          isMade[problem.operations[value.madeBy]
                     .candidates[candidate]
                     .resultLayouts[result]] = true;
        for (size_t layout = 0; layout < isMade.size(); ++layout)
          if (isMade[layout])
            reach(static_cast<int>(layout));
      }
      for (size_t layout = 0; layout < reached.size(); ++layout)
        if (!reached[layout])
          possible[v][layout] = false;
    }
  }

  bool dropCandidates() {
    size_t dropped = 0;
    for (size_t i = 0; i < candidates.size(); ++i)
      dropped += std::erase_if(candidates[i], [&](int w) {
        const Candidate &candidate = problem.operations[i].candidates[w];
        for (size_t r = 0; r < made[i].size(); ++r)
          if (!possible[made[i][r]][candidate.resultLayouts[r]])
            return true;
        return std::ranges::any_of(
            candidate.operandLayouts, [&](ValueLayout operand) {
              return !possible[operand.value][operand.layout];
            });
      });
    return dropped > 0;
  }

  const AssignmentProblem &problem;
  bool looksAhead;
  std::vector<std::vector<int>> made;
  std::vector<std::vector<int>> candidates;
  std::vector<std::vector<bool>> possible;
  std::optional<RowBytes> fullest;
};

} // namespace

AssignmentProblem
withCandidates(const AssignmentProblem &problem,
               const std::vector<std::vector<int>> &candidates) {
  AssignmentProblem reduced;
  reduced.values = problem.values;
  for (size_t i = 0; i < candidates.size(); ++i) {
    AssignedOperation &operation = reduced.operations.emplace_back();
    for (int candidate : candidates[i])
      operation.candidates.push_back(
          problem.operations[i].candidates[candidate]);
  }
  reduced.memory = problem.memory;
  for (CapacityRow &row : reduced.memory) {
    std::vector<CandidateBytes> terms;
    for (CandidateBytes term : row.candidates) {
      auto place = std::ranges::find(candidates[row.at], term.candidate);
      if (place != candidates[row.at].end())
        terms.push_back(
            {static_cast<int>(place - candidates[row.at].begin()), term.bytes});
    }
    row.candidates = std::move(terms);
  }
  return reduced;
}

FittingCandidates fittingCandidates(const AssignmentProblem &problem,
                                    bool looksAhead) {
  return Fitting(problem, looksAhead).run();
}

Result<Assignment, NoAssignment>
withFittingCandidates(const AssignmentProblem &problem,
                      const std::function<Result<Assignment, NoAssignment>(
                          const AssignmentProblem &)> &solve,
                      bool looksAhead) {
  FittingCandidates fitting = fittingCandidates(problem, looksAhead);
  const std::vector<std::vector<int>> &candidates = fitting.candidates;
  bool isWhole = true;
  if (fitting.provesNothingFits())
    return NoAssignment{
        fmt::format("operation {}: whatever is chosen takes at least {} bytes "
                    "on tile {}, which has {}",
                    fitting.fullest->at, fitting.fullest->bytes,
                    fitting.fullest->tile, fitting.fullest->capacity),
        fitting.fullest->at, /*isLimited=*/false, fitting.fullest};
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].empty())
      return NoAssignment{
          fmt::format(
              "operation {}: no candidate of it fits with any choice of "
              "candidates before it",
              i),
          static_cast<int>(i), /*isLimited=*/false, fitting.fullest};
    isWhole &= candidates[i].size() == problem.operations[i].candidates.size();
  }
  Result<Assignment, NoAssignment> found =
      isWhole ? solve(problem) : solve(withCandidates(problem, candidates));
  if (!found)
    return NoAssignment{found.error().message, found.error().operation,
                        found.error().isLimited, fitting.fullest};
  if (!isWhole)
    for (size_t i = 0; i < candidates.size(); ++i)
      found->candidates[i] = candidates[i][found->candidates[i]];
  return found;
}

} // namespace npu
