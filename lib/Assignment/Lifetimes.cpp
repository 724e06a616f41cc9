// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lifetimes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace npu {
namespace {

/// For each value an upper bound of the number of its layouts that exist at the
/// same time.
std::vector<size_t> mostLayouts(const AssignmentProblem &problem) {
  std::vector<size_t> most(problem.values.size(), 1);
  for (const AssignedOperation &operation : problem.operations) {
    std::map<int, size_t> needed;
    for (const Candidate &candidate : operation.candidates) {
      std::map<int, size_t> counts;
      for (ValueLayout operand : candidate.operandLayouts)
        ++counts[operand.value];
      for (auto [value, count] : counts)
        needed[value] = std::max(needed[value], count);
    }
    for (auto [value, count] : needed)
      most[value] += count;
  }
  return most;
}

/// The most bytes that any assignment puts into the row.
int64_t mostBytes(const CapacityRow &row,
                  const std::vector<size_t> &mostLayouts) {
  int64_t bytes = 0;
  for (CandidateBytes term : row.candidates)
    bytes = std::max(bytes, term.bytes);
  std::map<int, std::vector<int64_t>> layouts;
  for (const LayoutBytes &term : row.layouts)
    layouts[term.layout.value].push_back(term.bytes);
  for (auto &[value, sizes] : layouts) {
    std::ranges::sort(sizes, std::greater());
    sizes.resize(std::min(sizes.size(), mostLayouts[value]));
    for (int64_t size : sizes)
      bytes += size;
  }
  return row.fixed + bytes;
}

} // namespace

std::vector<CapacityRow> rowsThatMatter(const AssignmentProblem &problem) {
  std::vector<size_t> most = mostLayouts(problem);
  std::vector<CapacityRow> rows;
  for (const CapacityRow &row : problem.memory)
    if (mostBytes(row, most) > row.capacity)
      rows.push_back(row);
  // Of tiles with equal rows only the one with the least room is kept.
  auto key = [](const CapacityRow &row) {
    return std::tuple(row.at, row.capacity - row.fixed, row.tile);
  };
  std::ranges::sort(rows, {}, key);
  std::vector<CapacityRow> kept;
  for (CapacityRow &row : rows) {
    bool known = std::ranges::any_of(
        kept.rbegin(),
        std::find_if(kept.rbegin(), kept.rend(),
                     [&](const CapacityRow &k) { return k.at != row.at; }),
        [&](const CapacityRow &other) {
          return other.candidates == row.candidates &&
                 other.layouts == row.layouts;
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

void Lifetimes::addUses(const AssignmentProblem &problem, int operation) {
  std::map<int, int> most;
  for (const Candidate &candidate : problem.operations[operation].candidates) {
    std::map<int, int> counts;
    for (ValueLayout operand : candidate.operandLayouts) {
      ++counts[operand.value];
      mention(values[operand.value], operation);
      values[operand.value].layouts[operand.layout].lastUse = operation;
    }
    for (auto [value, count] : counts)
      most[value] = std::max(most[value], count);
  }
  for (auto [value, count] : most)
    values[value].users.emplace_back(operation, count);
}

Lifetimes::Lifetimes(const AssignmentProblem &problem,
                     std::span<const CapacityRow> rows)
    : values(problem.values.size()), entries(problem.operations.size()) {
  for (size_t v = 0; v < values.size(); ++v)
    values[v].layouts.resize(problem.values[v].layouts.size());
  for (size_t i = 0; i < problem.operations.size(); ++i)
    addUses(problem, static_cast<int>(i));
  for (Value &value : values)
    for (size_t user = value.users.size(); user-- > 1;)
      value.users[user - 1].second += value.users[user].second;
  for (const CapacityRow &row : rows)
    for (const LayoutBytes &term : row.layouts) {
      Value &value = values[term.layout.value];
      Layout &layout = value.layouts[term.layout.layout];
      layout.lastRow = std::max(layout.lastRow, row.at);
      mention(value, row.at);
    }
  for (size_t v = 0; v < values.size(); ++v) {
    bool isMade = problem.values[v].madeBy >= 0;
    values[v].begin = isMade ? problem.values[v].madeBy : values[v].first;
    if (!isMade && values[v].first >= 0)
      entries[values[v].first].push_back(static_cast<int>(v));
  }
}

int Lifetimes::usesAfter(int value, int operation) const {
  const auto &users = values[value].users;
  auto next = std::ranges::upper_bound(users, operation, {},
                                       &std::pair<int, int>::first);
  return next == users.end() ? 0 : next->second;
}

} // namespace npu
