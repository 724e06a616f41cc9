// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FittingCandidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace npu {
namespace {

class Fitting {
public:
  explicit Fitting(const AssignmentProblem &problem)
      : problem(problem), made(valuesMade(problem)) {
    for (const AssignedOperation &operation : problem.operations) {
      candidates.emplace_back();
      for (size_t w = 0; w < operation.candidates.size(); ++w)
        candidates.back().push_back(static_cast<int>(w));
    }
    for (const AssignedValue &value : problem.values)
      possible.emplace_back(value.layouts.size(), true);
  }

  std::vector<std::vector<int>> run() {
    for (const CapacityRow &row : problem.memory)
      dropCandidatesOf(row);
    // Removing one candidate can make others impossible.
    for (bool changed = true; changed;) {
      for (const CapacityRow &row : problem.memory)
        dropLayouts(row);
      dropUnreachable();
      changed = dropCandidates();
    }
    return std::move(candidates);
  }

private:
  bool isGiven(ValueLayout layout) const {
    return problem.values[layout.value].madeBy < 0 && layout.layout == 0;
  }

  bool uses(int operation, int w, ValueLayout layout) const {
    const Candidate &candidate = problem.operations[operation].candidates[w];
    for (size_t r = 0; r < made[operation].size(); ++r)
      if (ValueLayout{made[operation][r], candidate.resultLayouts[r]} == layout)
        return true;
    return std::ranges::find(candidate.operandLayouts, layout) !=
           candidate.operandLayouts.end();
  }

  /// The bytes that every assignment puts into the row, without the candidate.
  int64_t fixedBytes(const CapacityRow &row) const {
    int64_t bytes = row.fixed;
    for (const LayoutBytes &term : row.layouts)
      if (isGiven(term.layout))
        bytes += term.bytes;
    return bytes;
  }

  static int64_t candidateBytes(const CapacityRow &row, int candidate) {
    auto term = std::ranges::find(row.candidates, candidate,
                                  &CandidateBytes::candidate);
    return term == row.candidates.end() ? 0 : term->bytes;
  }

  void dropCandidatesOf(const CapacityRow &row) {
    int64_t fixed = fixedBytes(row);
    std::erase_if(candidates[row.at], [&](int candidate) {
      int64_t bytes = fixed + candidateBytes(row, candidate);
      for (const LayoutBytes &term : row.layouts)
        if (!isGiven(term.layout) && uses(row.at, candidate, term.layout))
          bytes += term.bytes;
      return bytes > row.capacity;
    });
  }

  void dropLayouts(const CapacityRow &row) {
    if (candidates[row.at].empty())
      return;
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (int candidate : candidates[row.at])
      smallest = std::min(smallest, candidateBytes(row, candidate));
    int64_t room = row.capacity - fixedBytes(row) - smallest;
    for (const LayoutBytes &term : row.layouts)
      if (!isGiven(term.layout) && term.bytes > room)
        possible[term.layout.value][term.layout.layout] = false;
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
  std::vector<std::vector<int>> made;
  std::vector<std::vector<int>> candidates;
  std::vector<std::vector<bool>> possible;
};

/// The problem with these candidates only. Precondition: each operation has
/// one.
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

} // namespace

std::vector<std::vector<int>>
fittingCandidates(const AssignmentProblem &problem) {
  return Fitting(problem).run();
}

Result<Assignment, NoAssignment>
withFittingCandidates(const AssignmentProblem &problem,
                      const std::function<Result<Assignment, NoAssignment>(
                          const AssignmentProblem &)> &solve) {
  std::vector<std::vector<int>> candidates = fittingCandidates(problem);
  bool isWhole = true;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].empty())
      return NoAssignment{
          fmt::format(
              "operation {}: no candidate of it fits with any choice of "
              "candidates before it",
              i),
          static_cast<int>(i)};
    isWhole &= candidates[i].size() == problem.operations[i].candidates.size();
  }
  if (isWhole)
    return solve(problem);
  Result<Assignment, NoAssignment> found =
      solve(withCandidates(problem, candidates));
  if (found)
    for (size_t i = 0; i < candidates.size(); ++i)
      found->candidates[i] = candidates[i][found->candidates[i]];
  return found;
}

} // namespace npu
