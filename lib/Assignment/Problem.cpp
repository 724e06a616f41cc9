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
  size_t forms = value.forms.size();
  if (forms == 0)
    return Error{fmt::format("value {}: expected forms, got none", number)};
  if (value.madeBy != -1 && !isIn(value.madeBy, problem.operations.size()))
    return Error{fmt::format("value {}: expected to be made by one of {} "
                             "operations, got {}",
                             number, problem.operations.size(), value.madeBy)};
  if (value.moves.size() != forms)
    return Error{fmt::format("value {}: expected moves from {} forms, got {}",
                             number, forms, value.moves.size())};
  for (size_t from = 0; from < forms; ++from) {
    if (value.moves[from].size() != forms)
      return Error{fmt::format("value {}: expected moves from form {} to {} "
                               "forms, got {}",
                               number, from, forms, value.moves[from].size())};
    if (value.moves[from][from] != 0)
      return Error{fmt::format("value {}: expected 0 as the cost of form {} "
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

Result<> checkWay(const AssignmentProblem &problem, int operation, const Way &way,
               const std::vector<int> &made) {
  if (way.makes.size() != made.size())
    return Error{fmt::format("expected a form of each of {} results, got {}",
                             made.size(), way.makes.size())};
  for (size_t i = 0; i < made.size(); ++i)
    if (!isIn(way.makes[i], problem.values[made[i]].forms.size()))
      return Error{fmt::format("expected one of {} forms of value {}, got {}",
                               problem.values[made[i]].forms.size(), made[i],
                               way.makes[i])};
  for (ValueForm need : way.needs) {
    if (!isIn(need.value, problem.values.size()))
      return Error{fmt::format("expected one of {} values, got {}",
                               problem.values.size(), need.value)};
    const AssignedValue &value = problem.values[need.value];
    if (!isIn(need.form, value.forms.size()))
      return Error{fmt::format("expected one of {} forms of value {}, got {}",
                               value.forms.size(), need.value, need.form)};
    if (value.madeBy >= operation)
      return Error{
          fmt::format("expected values that are made before, got value "
                      "{}, which operation {} makes",
                      need.value, value.madeBy)};
  }
  return Success();
}

Result<> checkRow(const AssignmentProblem &problem, const MemoryRow &row) {
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
  std::set<int> ways;
  for (WayBytes term : row.ways) {
    if (!isIn(term.way, problem.operations[row.at].ways.size()) ||
        !ways.insert(term.way).second)
      return Error{fmt::format("expected each of {} ways once, got {}",
                               problem.operations[row.at].ways.size(),
                               term.way)};
    if (!bytes.add(term.bytes))
      return tooLarge(term.bytes);
  }
  std::set<ValueForm> forms;
  for (const FormBytes &term : row.forms) {
    if (!isIn(term.form.value, problem.values.size()) ||
        !isIn(term.form.form, problem.values[term.form.value].forms.size()) ||
        problem.values[term.form.value].madeBy > row.at ||
        !forms.insert(term.form).second)
      return Error{
          fmt::format("expected forms of values that exist, each once, "
                      "got form {} of value {}",
                      term.form.form, term.form.value)};
    if (!bytes.add(term.bytes))
      return tooLarge(term.bytes);
  }
  return Success();
}

/// The bytes of a row where `way` runs and `forms` exist.
int64_t bytesOf(const MemoryRow &row, int way,
                const std::vector<std::vector<int>> &forms) {
  int64_t bytes = row.fixed;
  for (WayBytes term : row.ways)
    if (term.way == way)
      bytes += term.bytes;
  for (const FormBytes &term : row.forms)
    if (std::ranges::binary_search(forms[term.form.value], term.form.form))
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
    const auto &ways = problem.operations[i].ways;
    if (ways.empty())
      return Error{fmt::format("operation {}: expected ways, got none", i)};
    for (size_t w = 0; w < ways.size(); ++w) {
      Result<> error = checkWay(problem, static_cast<int>(i), ways[w], made[i]);
      if (error && !costs.add(ways[w].cost))
        error = Error{fmt::format(
            "expected costs from 0 to 2^62 together, got {}", ways[w].cost)};
      if (!error)
        return Error{fmt::format("operation {}: way {}: {}", i, w,
                                 error.error().message)};
    }
  }
  for (size_t r = 0; r < problem.memory.size(); ++r)
    if (Result<> error = checkRow(problem, problem.memory[r]); !error)
      return Error{fmt::format("memory row {}: {}", r, error.error().message)};
  return Success();
}

std::string noMove(ValueForm form, int from) {
  return fmt::format("value {}: form {} cannot be had from form {}", form.value,
                     form.form, from);
}

std::string tooManyBytes(const MemoryRow &row, int64_t bytes) {
  return fmt::format("operation {}: expected at most {} bytes on tile {}, got "
                     "{}",
                     row.at, row.capacity, row.tile, bytes);
}

Result<Assignment, NoAssignment> completeWays(const AssignmentProblem &problem,
                                const std::vector<int> &ways) {
  Assignment result;
  result.ways = ways;
  std::vector<int> madeForm(problem.values.size(), 0);
  std::vector<std::set<int>> forms(problem.values.size());
  auto made = valuesMade(problem);
  for (size_t i = 0; i < ways.size(); ++i) {
    const Way &way = problem.operations[i].ways[ways[i]];
    result.cost += way.cost;
    for (size_t r = 0; r < made[i].size(); ++r)
      madeForm[made[i][r]] = way.makes[r];
    for (ValueForm need : way.needs)
      forms[need.value].insert(need.form);
  }
  for (size_t v = 0; v < problem.values.size(); ++v) {
    forms[v].insert(madeForm[v]);
    for (int form : forms[v]) {
      int64_t cost = problem.values[v].moves[madeForm[v]][form];
      if (cost == kImpossible)
        return NoAssignment{noMove({static_cast<int>(v), form}, madeForm[v])};
      result.cost += cost;
    }
    result.forms.emplace_back(forms[v].begin(), forms[v].end());
  }
  for (const MemoryRow &row : problem.memory)
    if (int64_t bytes = bytesOf(row, ways[row.at], result.forms);
        bytes > row.capacity)
      return NoAssignment{tooManyBytes(row, bytes), row.at};
  return result;
}

Result<> checkAssignment(const AssignmentProblem &problem,
                      const Assignment &assignment) {
  if (assignment.ways.size() != problem.operations.size())
    return Error{fmt::format("expected a way of each of {} operations, got {}",
                             problem.operations.size(),
                             assignment.ways.size())};
  for (size_t i = 0; i < assignment.ways.size(); ++i)
    if (!isIn(assignment.ways[i], problem.operations[i].ways.size()))
      return Error{fmt::format("operation {}: expected one of {} ways, got {}",
                               i, problem.operations[i].ways.size(),
                               assignment.ways[i])};
  Result<Assignment, NoAssignment> complete = completeWays(problem, assignment.ways);
  if (!complete)
    return Error{complete.error().message};
  if (assignment.cost != complete->cost)
    return Error{fmt::format("expected the cost {} of these ways, got {}",
                             complete->cost, assignment.cost)};
  if (assignment.forms != complete->forms)
    return Error{"expected the forms that these ways make and need"};
  if (assignment.bound > assignment.cost)
    return Error{fmt::format("expected a bound of at most {}, got {}",
                             assignment.cost, assignment.bound)};
  return Success();
}

} // namespace npu
