// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lifetimes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace npu {
namespace {

/// For each value the number of forms in which it can exist at the same time.
std::vector<size_t> mostForms(const AssignmentProblem &problem) {
  std::vector<size_t> most(problem.values.size(), 1);
  for (const AssignedOperation &operation : problem.operations) {
    std::map<int, size_t> needed;
    for (const Way &way : operation.ways) {
      std::map<int, size_t> counts;
      for (ValueForm need : way.needs)
        ++counts[need.value];
      for (auto [value, count] : counts)
        needed[value] = std::max(needed[value], count);
    }
    for (auto [value, count] : needed)
      most[value] += count;
  }
  return most;
}

/// The most bytes that any choice puts into the row.
int64_t mostBytes(const MemoryRow &row, const std::vector<size_t> &mostForms) {
  int64_t bytes = 0;
  for (WayBytes term : row.ways)
    bytes = std::max(bytes, term.bytes);
  std::map<int, std::vector<int64_t>> forms;
  for (const FormBytes &term : row.forms)
    forms[term.form.value].push_back(term.bytes);
  for (auto &[value, sizes] : forms) {
    std::ranges::sort(sizes, std::greater());
    sizes.resize(std::min(sizes.size(), mostForms[value]));
    for (int64_t size : sizes)
      bytes += size;
  }
  return row.fixed + bytes;
}

} // namespace

std::vector<MemoryRow> rowsThatMatter(const AssignmentProblem &problem) {
  std::vector<size_t> most = mostForms(problem);
  std::vector<MemoryRow> rows;
  for (const MemoryRow &row : problem.memory)
    if (mostBytes(row, most) > row.capacity)
      rows.push_back(row);
  // Tiles with equal rows are one row: that with the least room.
  auto key = [](const MemoryRow &row) {
    return std::tuple(row.at, row.capacity - row.fixed, row.tile);
  };
  std::ranges::sort(rows, {}, key);
  std::vector<MemoryRow> kept;
  for (MemoryRow &row : rows) {
    bool known = std::ranges::any_of(
        kept.rbegin(),
        std::find_if(kept.rbegin(), kept.rend(),
                     [&](const MemoryRow &k) { return k.at != row.at; }),
        [&](const MemoryRow &other) {
          return other.ways == row.ways && other.forms == row.forms;
        });
    if (!known)
      kept.push_back(std::move(row));
  }
  return kept;
}

void Lifetimes::mention(Value &value, int operation) {
  if (value.first < 0 || operation < value.first)
    value.first = operation;
  value.last = std::max(value.last, operation);
}

void Lifetimes::addNeeds(const AssignmentProblem &problem, int operation) {
  std::map<int, int> most;
  for (const Way &way : problem.operations[operation].ways) {
    std::map<int, int> counts;
    for (ValueForm need : way.needs) {
      ++counts[need.value];
      mention(values[need.value], operation);
      values[need.value].forms[need.form].lastNeed = operation;
    }
    for (auto [value, count] : counts)
      most[value] = std::max(most[value], count);
  }
  for (auto [value, count] : most)
    values[value].users.emplace_back(operation, count);
}

Lifetimes::Lifetimes(const AssignmentProblem &problem,
                     std::span<const MemoryRow> rows)
    : values(problem.values.size()), entries(problem.operations.size()) {
  for (size_t v = 0; v < values.size(); ++v)
    values[v].forms.resize(problem.values[v].forms.size());
  for (size_t i = 0; i < problem.operations.size(); ++i)
    addNeeds(problem, static_cast<int>(i));
  for (Value &value : values)
    for (size_t user = value.users.size(); user-- > 1;)
      value.users[user - 1].second += value.users[user].second;
  for (const MemoryRow &row : rows)
    for (const FormBytes &term : row.forms) {
      Value &value = values[term.form.value];
      Form &form = value.forms[term.form.form];
      form.lastRow = std::max(form.lastRow, row.at);
      mention(value, row.at);
    }
  for (size_t v = 0; v < values.size(); ++v) {
    bool isMade = problem.values[v].madeBy >= 0;
    values[v].begin = isMade ? problem.values[v].madeBy : values[v].first;
    if (!isMade && values[v].first >= 0)
      entries[values[v].first].push_back(static_cast<int>(v));
  }
}

int Lifetimes::needsBehind(int value, int operation) const {
  const auto &users = values[value].users;
  auto next = std::ranges::upper_bound(users, operation, {},
                                       &std::pair<int, int>::first);
  return next == users.end() ? 0 : next->second;
}

} // namespace npu
