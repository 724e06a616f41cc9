// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/Problem.h"

#include "Forbidden.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace npu {
namespace {

/// The most that all costs and all bytes of a row may be together, so that no
/// sum of them overflows.
constexpr int64_t kMostTotal = int64_t{1} << 62;

/// A sum of numbers that are not negative, with an error where it is too large.
class BoundedSum {
public:
  /// Whether the number is not negative and the sum stays in range.
  bool add(int64_t number) {
    if (number < 0 || number > kMostTotal - total)
      return false;
    total += number;
    return true;
  }

private:
  int64_t total = 0;
};

bool isIn(int number, size_t size) {
  return number >= 0 && static_cast<size_t>(number) < size;
}

Result<> checkValue(const AssignmentProblem &problem, size_t number,
                    BoundedSum &costs) {
  const AssignedValue &value = problem.values[number];
  size_t layouts = value.layouts.size();
  if (layouts == 0)
    return Error{fmt::format("value {}: expected layouts, got none", number)};
  if (value.madeBy != -1 && !isIn(value.madeBy, problem.operations.size()))
    return Error{fmt::format("value {}: expected to be made by one of {} "
                             "operations, got {}",
                             number, problem.operations.size(), value.madeBy)};
  if (value.moves.size() != layouts)
    return Error{fmt::format("value {}: expected moves from {} layouts, got {}",
                             number, layouts, value.moves.size())};
  for (size_t from = 0; from < layouts; ++from) {
    if (value.moves[from].size() != layouts)
      return Error{fmt::format("value {}: expected moves from layout {} to {} "
                               "layouts, got {}",
                               number, from, layouts,
                               value.moves[from].size())};
    if (value.moves[from][from] != 0)
      return Error{fmt::format("value {}: expected 0 as the cost of layout {} "
                               "where it was made, got {}",
                               number, from, value.moves[from][from])};
    for (int64_t cost : value.moves[from])
      if (cost != kImpossible && !costs.add(cost))
        return Error{fmt::format("value {}: expected costs from 0 to 2^62 "
                                 "together, got {}",
                                 number, cost)};
  }
  return Success();
}

Result<> checkCandidate(const AssignmentProblem &problem, int operation,
                        const Candidate &candidate,
                        const std::vector<int> &made) {
  if (candidate.resultLayouts.size() != made.size())
    return Error{fmt::format("expected a layout of each of {} results, got {}",
                             made.size(), candidate.resultLayouts.size())};
  for (size_t i = 0; i < made.size(); ++i)
    if (!isIn(candidate.resultLayouts[i],
              problem.values[made[i]].layouts.size()))
      return Error{fmt::format("expected one of {} layouts of value {}, got {}",
                               problem.values[made[i]].layouts.size(), made[i],
                               candidate.resultLayouts[i])};
  for (ValueLayout operand : candidate.operandLayouts) {
    if (!isIn(operand.value, problem.values.size()))
      return Error{fmt::format("expected one of {} values, got {}",
                               problem.values.size(), operand.value)};
    const AssignedValue &value = problem.values[operand.value];
    if (!isIn(operand.layout, value.layouts.size()))
      return Error{fmt::format("expected one of {} layouts of value {}, got {}",
                               value.layouts.size(), operand.value,
                               operand.layout)};
    if (value.madeBy >= operation)
      return Error{
          fmt::format("expected values that are made before, got value "
                      "{}, which operation {} makes",
                      operand.value, value.madeBy)};
  }
  return Success();
}

Result<> checkRow(const AssignmentProblem &problem, const CapacityRow &row) {
  if (!isIn(row.at, problem.operations.size()))
    return Error{fmt::format("expected one of {} operations, got {}",
                             problem.operations.size(), row.at)};
  BoundedSum bytes;
  auto tooLarge = [](int64_t got) {
    return Error{
        fmt::format("expected bytes from 0 to 2^62 together, got {}", got)};
  };
  if (!bytes.add(row.fixed))
    return tooLarge(row.fixed);
  std::set<int> candidates;
  for (CandidateBytes term : row.candidates) {
    if (!isIn(term.candidate, problem.operations[row.at].candidates.size()) ||
        !candidates.insert(term.candidate).second)
      return Error{fmt::format("expected each of {} candidates once, got {}",
                               problem.operations[row.at].candidates.size(),
                               term.candidate)};
    if (!bytes.add(term.bytes))
      return tooLarge(term.bytes);
  }
  std::set<ValueLayout> layouts;
  for (const LayoutBytes &term : row.layouts) {
    if (!isIn(term.layout.value, problem.values.size()) ||
        !isIn(term.layout.layout,
              problem.values[term.layout.value].layouts.size()) ||
        problem.values[term.layout.value].madeBy > row.at ||
        !layouts.insert(term.layout).second)
      return Error{
          fmt::format("expected layouts of values that exist, each once, "
                      "got layout {} of value {}",
                      term.layout.layout, term.layout.value)};
    if (!bytes.add(term.bytes))
      return tooLarge(term.bytes);
  }
  return Success();
}

/// The bytes of a row where `candidate` runs and `layouts` exist.
int64_t bytesOf(const CapacityRow &row, int candidate,
                const std::vector<std::vector<int>> &layouts) {
  int64_t bytes = row.fixed;
  for (CandidateBytes term : row.candidates)
    if (term.candidate == candidate)
      bytes += term.bytes;
  for (const LayoutBytes &term : row.layouts)
    if (std::ranges::binary_search(layouts[term.layout.value],
                                   term.layout.layout))
      bytes += term.bytes;
  return bytes;
}

} // namespace

std::vector<std::vector<int>> valuesMade(const AssignmentProblem &problem) {
  std::vector<std::vector<int>> made(problem.operations.size());
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (problem.values[v].madeBy >= 0)
      made[problem.values[v].madeBy].push_back(static_cast<int>(v));
  return made;
}

Result<> checkProblem(const AssignmentProblem &problem) {
  BoundedSum costs;
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (Result<> error = checkValue(problem, v, costs); !error)
      return error;
  auto made = valuesMade(problem);
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    const auto &candidates = problem.operations[i].candidates;
    if (candidates.empty())
      return Error{
          fmt::format("operation {}: expected candidates, got none", i)};
    for (size_t w = 0; w < candidates.size(); ++w) {
      Result<> checked =
          checkCandidate(problem, static_cast<int>(i), candidates[w], made[i]);
      if (checked && !costs.add(candidates[w].cost))
        checked =
            Error{fmt::format("expected costs from 0 to 2^62 together, got {}",
                              candidates[w].cost)};
      if (!checked)
        return Error{fmt::format("operation {}: candidate {}: {}", i, w,
                                 checked.error().message)};
    }
  }
  for (size_t r = 0; r < problem.memory.size(); ++r)
    if (Result<> error = checkRow(problem, problem.memory[r]); !error)
      return Error{fmt::format("memory row {}: {}", r, error.error().message)};
  return Success();
}

std::string noMove(ValueLayout layout, int from) {
  return fmt::format("value {}: layout {} cannot be had from layout {}",
                     layout.value, layout.layout, from);
}

std::string tooManyBytes(const CapacityRow &row, int64_t bytes) {
  return fmt::format("operation {}: expected at most {} bytes on tile {}, got "
                     "{}",
                     row.at, row.capacity, row.tile, bytes);
}

Result<Assignment, NoAssignment>
completeAssignment(const AssignmentProblem &problem,
                   const std::vector<int> &candidates) {
  Assignment result;
  result.candidates = candidates;
  std::vector<int> madeLayout(problem.values.size(), 0);
  std::vector<std::set<int>> layouts(problem.values.size());
  auto made = valuesMade(problem);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate &candidate =
        problem.operations[i].candidates[candidates[i]];
    result.cost += candidate.cost;
    for (size_t r = 0; r < made[i].size(); ++r)
      madeLayout[made[i][r]] = candidate.resultLayouts[r];
    for (ValueLayout operand : candidate.operandLayouts)
      layouts[operand.value].insert(operand.layout);
  }
  for (size_t v = 0; v < problem.values.size(); ++v) {
    layouts[v].insert(madeLayout[v]);
    for (int layout : layouts[v]) {
      int64_t cost = problem.values[v].moves[madeLayout[v]][layout];
      if (cost == kImpossible)
        return NoAssignment{
            noMove({static_cast<int>(v), layout}, madeLayout[v])};
      result.cost += cost;
    }
    result.layouts.emplace_back(layouts[v].begin(), layouts[v].end());
  }
  for (const CapacityRow &row : problem.memory)
    if (int64_t bytes = bytesOf(row, candidates[row.at], result.layouts);
        bytes > row.capacity)
      return NoAssignment{tooManyBytes(row, bytes), row.at};
  return result;
}

Result<> checkAssignment(const AssignmentProblem &problem,
                         const Assignment &assignment) {
  if (assignment.candidates.size() != problem.operations.size())
    return Error{
        fmt::format("expected a candidate of each of {} operations, got {}",
                    problem.operations.size(), assignment.candidates.size())};
  for (size_t i = 0; i < assignment.candidates.size(); ++i)
    if (!isIn(assignment.candidates[i],
              problem.operations[i].candidates.size()))
      return Error{fmt::format(
          "operation {}: expected one of {} candidates, got {}", i,
          problem.operations[i].candidates.size(), assignment.candidates[i])};
  Result<Assignment, NoAssignment> complete =
      completeAssignment(problem, assignment.candidates);
  if (!complete)
    return Error{complete.error().message};
  if (assignment.cost != complete->cost)
    return Error{fmt::format("expected the cost {} of these candidates, got {}",
                             complete->cost, assignment.cost)};
  if (assignment.layouts != complete->layouts)
    return Error{"expected the layouts that these candidates make and need"};
  if (assignment.bound > assignment.cost)
    return Error{fmt::format("expected a bound of at most {}, got {}",
                             assignment.cost, assignment.bound)};
  return Success();
}

} // namespace npu
