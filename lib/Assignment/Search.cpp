// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Search.h"

#include <algorithm>

namespace npu {
namespace {

/// More rounds hardly raise the bound any more.
constexpr int kRounds = 12;

} // namespace

Search::Search(const AssignmentProblem &problem)
    : problem(problem), made(valuesMade(problem)),
      rows(rowsThatMatter(problem)), lifetimes(problem, rows),
      prices(problem, lifetimes), slots(problem.values.size(), -1) {
  for (size_t v = 0; v < problem.values.size(); ++v)
    conditions.emplace_back(problem.values[v], static_cast<int>(v), lifetimes);
  prices.improve(kRounds);
}

Search::Outcome Search::run(size_t most, int64_t costsLessThan) {
  width = most;
  lessThan = costsLessThan;
  dropped = kNone;
  frontiers.assign(problem.operations.size() + 1, {});
  frontiers[0].partials.push_back({});
  for (size_t i = 0; i < problem.operations.size(); ++i) {
    step(static_cast<int>(i));
    if (frontiers[i + 1].partials.empty())
      return {{}, dropped, static_cast<int>(i)};
  }
  return {chosenWays(), dropped, -1};
}

/// Continues every partial assignment in front of operation `i`.
void Search::step(int i) {
  Frontier &before = frontiers[i], &after = frontiers[i + 1];
  enterValues(before, i);
  live = before.values;
  live.insert(live.end(), made[i].begin(), made[i].end());
  for (size_t slot = 0; slot < live.size(); ++slot)
    slots[live[slot]] = static_cast<int>(slot);
  for (int value : live)
    if (lifetimes.last(value) > i)
      after.values.push_back(value);
  rowsHere = std::ranges::equal_range(rows, i, {}, &MemoryRow::at);
  for (size_t p = 0; p < before.partials.size(); ++p)
    for (size_t w = 0; w < problem.operations[i].ways.size(); ++w)
      take(before.partials[p], static_cast<int>(p), i, static_cast<int>(w));
  // To compare all takes longer than it is worth.
  drop(after, 2 * width);
  after.dropDominated(conditions, i);
  drop(after, width);
  // The conditions of what is done are not asked for again.
  for (Partial &partial : before.partials)
    partial.conditions = {};
}

void Search::drop(Frontier &frontier, size_t most) {
  if (auto least = frontier.keepBest(most))
    dropped = std::min(dropped, *least);
}

/// Arguments and constants matter from the first operation on that they matter
/// to.
void Search::enterValues(Frontier &frontier, int i) {
  for (int value : lifetimes.entering(i)) {
    frontier.values.push_back(value);
    int id = conditions[value].made(0);
    for (Partial &partial : frontier.partials)
      partial.conditions.push_back(id);
  }
}

/// Continues one partial assignment with one way.
void Search::take(const Partial &partial, int number, int i, int w) {
  const Way &way = problem.operations[i].ways[w];
  Partial next{partial.conditions, partial.cost + way.cost, 0, number, w};
  for (size_t r = 0; r < made[i].size(); ++r)
    next.conditions.push_back(conditions[made[i][r]].made(way.makes[r]));
  for (ValueForm need : way.needs)
    if (!have(next, need))
      return;
  decide(next, i, w);
}

/// Makes a form exist; false where it cannot.
bool Search::have(Partial &partial, ValueForm form) {
  int &id = partial.conditions[slots[form.value]];
  int64_t price = conditions[form.value][id].prices[form.form];
  if (price == kImpossible)
    return false;
  partial.cost += price;
  id = conditions[form.value].with(id, form.form);
  return true;
}

/// A form that takes memory at operation `i` if it exists, which is not decided
/// yet, because later operations may need it.
std::optional<ValueForm> Search::undecided(const Partial &partial,
                                           int i) const {
  for (const MemoryRow &row : rowsHere)
    for (const FormBytes &term : row.forms) {
      auto [value, form] = term.form;
      const Condition &condition =
          conditions[value][partial.conditions[slots[value]]];
      if (!condition.takesMemory[form] &&
          condition.prices[form] != kImpossible &&
          lifetimes.lastNeed(term.form) > i)
        return term.form;
    }
  return {};
}

bool Search::fits(const Partial &partial, int w) const {
  return std::ranges::all_of(rowsHere, [&](const MemoryRow &row) {
    int64_t bytes = row.fixed;
    for (WayBytes term : row.ways)
      if (term.way == w)
        bytes += term.bytes;
    for (const FormBytes &term : row.forms) {
      int value = term.form.value;
      const Condition &condition =
          conditions[value][partial.conditions[slots[value]]];
      if (condition.takesMemory[term.form.form])
        bytes += term.bytes;
    }
    return bytes <= row.capacity;
  });
}

/// Decides of each form that takes memory here whether it exists, and keeps
/// what fits.
void Search::decide(const Partial &partial, int i, int w) {
  if (!fits(partial, w))
    return;
  if (auto form = undecided(partial, i)) {
    Partial with = partial, without = partial;
    have(with, *form);
    decide(with, i, w);
    int &id = without.conditions[slots[form->value]];
    id = conditions[form->value].without(id, form->form);
    return decide(without, i, w);
  }
  keep(partial, i);
}

void Search::keep(const Partial &partial, int i) {
  Partial kept{{},
               partial.cost,
               partial.cost + prices.behind(i + 1),
               partial.parent,
               partial.way};
  for (int value : frontiers[i + 1].values) {
    int id = conditions[value].behind(partial.conditions[slots[value]], i);
    kept.conditions.push_back(id);
    kept.least += conditions[value].leastBehind(id, i, prices);
  }
  if (kept.least < lessThan)
    frontiers[i + 1].add(std::move(kept));
}

std::vector<int> Search::chosenWays() const {
  std::vector<int> ways(problem.operations.size());
  // One is left behind the last operation: no value matters any more.
  int at = 0;
  for (size_t i = problem.operations.size(); i-- > 0;) {
    const Partial &partial = frontiers[i + 1].partials[at];
    ways[i] = partial.way;
    at = partial.parent;
  }
  return ways;
}

} // namespace npu
