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
  firstForm.push_back(0);
  for (const AssignedValue &value : problem.values)
    firstForm.push_back(firstForm.back() +
                        static_cast<int>(value.forms.size()));
  formRows.resize(numForms());
  formUsers.resize(numForms());
  wayRows.resize(problem.operations.size());
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    wayRows[i].resize(problem.operations[i].ways.size());
    for (const Way &way : problem.operations[i].ways)
      for (ValueForm need : way.needs) {
        std::vector<int> &users = formUsers[place(need)];
        if (users.empty() || users.back() != static_cast<int>(i))
          users.push_back(static_cast<int>(i));
      }
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    for (WayBytes term : rows[r].ways)
      wayRows[rows[r].at][term.way].push_back(
          {static_cast<int>(r), term.bytes});
    for (const FormBytes &term : rows[r].forms)
      formRows[place(term.form)].push_back({static_cast<int>(r), term.bytes});
  }
}

int ProblemIndex::nextUse(ValueForm form, int operation) const {
  const std::vector<int> &all = users(form);
  auto next = std::ranges::upper_bound(all, operation);
  return next == all.end() ? std::numeric_limits<int>::max() : *next;
}

Prefix::Prefix(const ProblemIndex &index)
    : index(&index), ways(index.problem.operations.size(), -1),
      counts(index.numForms(), 0), madeForms(index.problem.values.size(), -1),
      moveCosts(index.problem.values.size(), 0),
      impossibleMoves(index.problem.values.size(), 0) {
  for (size_t r = 0; r < index.rows.size(); ++r) {
    bytes.push_back(index.rows[r].fixed);
    if (bytes[r] > index.rows[r].capacity)
      exceeded.insert(static_cast<int>(r));
  }
  for (size_t v = 0; v < index.problem.values.size(); ++v)
    if (index.problem.values[v].madeBy < 0) {
      madeForms[v] = 0;
      countForm({static_cast<int>(v), 0}, 1);
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

void Prefix::countForm(ValueForm form, int change) {
  int &count = counts[index->place(form)];
  bool existed = count > 0;
  count += change;
  if (existed != (count > 0))
    addBytes(index->rowsOf(form), change);
}

void Prefix::price(int v) {
  const AssignedValue &value = index->problem.values[v];
  total -= moveCosts[v];
  impossible -= impossibleMoves[v];
  moveCosts[v] = 0;
  impossibleMoves[v] = 0;
  if (madeForms[v] >= 0) {
    const std::vector<int64_t> &moves = value.moves[madeForms[v]];
    for (int f = 0; f < static_cast<int>(value.forms.size()); ++f) {
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
  const Way &way = index->problem.operations[operation].ways[ways[operation]];
  total += change * way.cost;
  addBytes(index->rowsOf(operation, ways[operation]), change);
  const std::vector<int> &made = index->made[operation];
  for (size_t r = 0; r < made.size(); ++r) {
    countForm({made[r], way.makes[r]}, change);
    madeForms[made[r]] = change > 0 ? way.makes[r] : -1;
    price(made[r]);
  }
  for (ValueForm need : way.needs)
    countForm(need, change);
  for (ValueForm need : way.needs)
    price(need.value);
}

void Prefix::choose(int operation, int way) {
  ways[operation] = way;
  apply(operation, 1);
}

void Prefix::takeBack(int operation) {
  apply(operation, -1);
  ways[operation] = -1;
}

std::string Prefix::firstImpossible(int operation) const {
  std::vector<int> values = index->made[operation];
  for (ValueForm need :
       index->problem.operations[operation].ways[ways[operation]].needs)
    values.push_back(need.value);
  for (int v : values) {
    const std::vector<int64_t> &moves =
        index->problem.values[v].moves[madeForms[v]];
    for (int f = 0; f < static_cast<int>(moves.size()); ++f)
      if (exists({v, f}) && moves[f] == kImpossible)
        return noMove({v, f}, madeForms[v]);
  }
  return "a form cannot be had";
}

std::optional<int64_t> Prefix::costWith(int operation, int w) const {
  if (impossible > 0)
    return {};
  const Way &way = index->problem.operations[operation].ways[w];
  int64_t cost = total + way.cost;
  auto add = [&](int value, int from, int form) {
    int64_t move = index->problem.values[value].moves[from][form];
    cost += std::max<int64_t>(move, 0);
    return move != kImpossible;
  };
  const std::vector<int> &made = index->made[operation];
  for (size_t r = 0; r < made.size(); ++r)
    for (size_t f = 0; f < index->problem.values[made[r]].forms.size(); ++f)
      if (ValueForm form{made[r], static_cast<int>(f)};
          exists(form) && !add(made[r], way.makes[r], form.form))
        return {};
  for (auto need = way.needs.begin(); need != way.needs.end(); ++need) {
    bool isNew =
        !exists(*need) && std::find(way.needs.begin(), need, *need) == need;
    if (isNew && madeForms[need->value] >= 0 &&
        !add(need->value, madeForms[need->value], need->form))
      return {};
  }
  return cost;
}

std::vector<int> Prefix::waysByCost(int operation) const {
  std::vector<std::pair<int64_t, int>> ranked;
  int count =
      static_cast<int>(index->problem.operations[operation].ways.size());
  for (int w = 0; w < count; ++w)
    if (auto cost = costWith(operation, w))
      ranked.emplace_back(*cost, w);
  std::ranges::sort(ranked);
  std::vector<int> ways;
  ways.reserve(ranked.size());
  for (auto [cost, way] : ranked)
    ways.push_back(way);
  return ways;
}

} // namespace npu
