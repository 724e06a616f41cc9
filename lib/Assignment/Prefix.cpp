// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prefix.h"

#include "Forbidden.h"
#include "Lifetimes.h"

#include <algorithm>
#include <limits>

namespace npu {

ProblemIndex::ProblemIndex(const AssignmentProblem &problem)
    : problem(problem), made(valuesMade(problem)),
      rows(rowsThatMatter(problem)) {
  firstLayout.push_back(0);
  for (const AssignedValue &value : problem.values)
    firstLayout.push_back(firstLayout.back() +
                          static_cast<int>(value.layouts.size()));
  layoutRows.resize(numLayouts());
  layoutUsers.resize(numLayouts());
  candidateRows.resize(problem.operations.size());
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    candidateRows[i].resize(problem.operations[i].candidates.size());
    for (const Candidate &candidate : problem.operations[i].candidates)
      for (ValueLayout operand : candidate.operandLayouts) {
        std::vector<int> &users = layoutUsers[place(operand)];
        if (users.empty() || users.back() != static_cast<int>(i))
          users.push_back(static_cast<int>(i));
      }
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    for (CandidateBytes term : rows[r].candidates)
      candidateRows[rows[r].at][term.candidate].push_back(
          {static_cast<int>(r), term.bytes});
    for (const LayoutBytes &term : rows[r].layouts)
      layoutRows[place(term.layout)].push_back(
          {static_cast<int>(r), term.bytes});
  }
}

int ProblemIndex::nextUse(ValueLayout layout, int operation) const {
  const std::vector<int> &all = users(layout);
  auto next = std::ranges::upper_bound(all, operation);
  return next == all.end() ? std::numeric_limits<int>::max() : *next;
}

Prefix::Prefix(const ProblemIndex &index)
    : index(&index), candidates(index.problem.operations.size(), -1),
      counts(index.numLayouts(), 0),
      madeLayouts(index.problem.values.size(), -1),
      moveCosts(index.problem.values.size(), 0),
      impossibleMoves(index.problem.values.size(), 0) {
  for (size_t r = 0; r < index.rows.size(); ++r) {
    bytes.push_back(index.rows[r].fixed);
    if (bytes[r] > index.rows[r].capacity)
      exceeded.insert(static_cast<int>(r));
  }
  for (size_t v = 0; v < index.problem.values.size(); ++v)
    if (index.problem.values[v].madeBy < 0) {
      madeLayouts[v] = 0;
      countLayout({static_cast<int>(v), 0}, 1);
    }
}

void Prefix::addBytes(const std::vector<ProblemIndex::RowBytes> &terms,
                      int sign) {
  for (ProblemIndex::RowBytes term : terms) {
    int64_t capacity = index->rows[term.row].capacity;
    bool wasExceeded = bytes[term.row] > capacity;
    bytes[term.row] += sign * term.bytes;
    bool isExceeded = bytes[term.row] > capacity;
    if (isExceeded && !wasExceeded)
      exceeded.insert(term.row);
    else if (wasExceeded && !isExceeded)
      exceeded.erase(term.row);
  }
}

void Prefix::countLayout(ValueLayout layout, int change) {
  int &count = counts[index->place(layout)];
  bool existed = count > 0;
  count += change;
  if (existed != (count > 0))
    addBytes(index->rowsOf(layout), change);
}

void Prefix::updateMoves(int v) {
  const AssignedValue &value = index->problem.values[v];
  total -= moveCosts[v];
  impossible -= impossibleMoves[v];
  moveCosts[v] = 0;
  impossibleMoves[v] = 0;
  if (madeLayouts[v] >= 0) {
    const std::vector<int64_t> &moves = value.moves[madeLayouts[v]];
    for (int f = 0; f < static_cast<int>(value.layouts.size()); ++f) {
      if (!exists({v, f}))
        continue;
      if (moves[f] == kImpossible)
        ++impossibleMoves[v];
      else
        moveCosts[v] += moves[f];
    }
  }
  total += moveCosts[v];
  impossible += impossibleMoves[v];
}

void Prefix::apply(int operation, int change) {
  const Candidate &candidate =
      index->problem.operations[operation].candidates[candidates[operation]];
  total += change * candidate.cost;
  addBytes(index->rowsOf(operation, candidates[operation]), change);
  const std::vector<int> &made = index->made[operation];
  for (size_t r = 0; r < made.size(); ++r) {
    countLayout({made[r], candidate.resultLayouts[r]}, change);
    madeLayouts[made[r]] = change > 0 ? candidate.resultLayouts[r] : -1;
    updateMoves(made[r]);
  }
  for (ValueLayout operand : candidate.operandLayouts)
    countLayout(operand, change);
  for (ValueLayout operand : candidate.operandLayouts)
    updateMoves(operand.value);
}

void Prefix::choose(int operation, int candidate) {
  candidates[operation] = candidate;
  apply(operation, 1);
}

void Prefix::takeBack(int operation) {
  apply(operation, -1);
  candidates[operation] = -1;
}

std::string Prefix::firstImpossible(int operation) const {
  std::vector<int> values = index->made[operation];
  for (ValueLayout operand : index->problem.operations[operation]
                                 .candidates[candidates[operation]]
                                 .operandLayouts)
    values.push_back(operand.value);
  for (int v : values) {
    const std::vector<int64_t> &moves =
        index->problem.values[v].moves[madeLayouts[v]];
    for (int f = 0; f < static_cast<int>(moves.size()); ++f)
      if (exists({v, f}) && moves[f] == kImpossible)
        return noMove({v, f}, madeLayouts[v]);
  }
  return "a layout cannot be had";
}

std::optional<int64_t> Prefix::costWith(int operation, int w) const {
  if (impossible > 0)
    return {};
  const Candidate &candidate =
      index->problem.operations[operation].candidates[w];
  int64_t cost = total + candidate.cost;
  auto add = [&](int value, int from, int layout) {
    int64_t move = index->problem.values[value].moves[from][layout];
    cost += std::max<int64_t>(move, 0);
    return move != kImpossible;
  };
  const std::vector<int> &made = index->made[operation];
  for (size_t r = 0; r < made.size(); ++r)
    for (size_t f = 0; f < index->problem.values[made[r]].layouts.size(); ++f)
      if (ValueLayout layout{made[r], static_cast<int>(f)};
          exists(layout) &&
          !add(made[r], candidate.resultLayouts[r], layout.layout))
        return {};
  for (auto operand = candidate.operandLayouts.begin();
       operand != candidate.operandLayouts.end(); ++operand) {
    bool isNew =
        !exists(*operand) && std::find(candidate.operandLayouts.begin(),
                                       operand, *operand) == operand;
    if (isNew && madeLayouts[operand->value] >= 0 &&
        !add(operand->value, madeLayouts[operand->value], operand->layout))
      return {};
  }
  return cost;
}

std::vector<int> Prefix::candidatesByCost(int operation) const {
  std::vector<std::pair<int64_t, int>> ranked;
  int count =
      static_cast<int>(index->problem.operations[operation].candidates.size());
  for (int w = 0; w < count; ++w)
    if (auto cost = costWith(operation, w))
      ranked.emplace_back(*cost, w);
  std::ranges::sort(ranked);
  std::vector<int> candidates;
  candidates.reserve(ranked.size());
  for (auto [cost, candidate] : ranked)
    candidates.push_back(candidate);
  return candidates;
}

} // namespace npu
