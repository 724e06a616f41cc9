// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Search.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace npu {
namespace {

/// More rounds hardly raise the bound any more.
constexpr int kRounds = 12;

} // namespace

Search::Search(const AssignmentProblem &problem)
    : problem(problem), made(valuesMade(problem)),
      rows(rowsThatMatter(problem)), lifetimes(problem, rows),
      prices(problem, lifetimes), slots(problem.values.size(), -1) {
  for (MemoryRow &row : rows)
    std::ranges::sort(row.forms, {}, &FormBytes::form);
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
    partial.conditions = {}, partial.open = {};
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
  Partial next = partial;
  next.cost += way.cost;
  next.parent = number;
  next.way = w;
  for (size_t r = 0; r < made[i].size(); ++r)
    next.conditions.push_back(conditions[made[i][r]].made(way.makes[r]));
  for (ValueForm need : way.needs)
    if (!have(next, need))
      return;
  if (fits(next, i, w))
    keep(next, i);
}

/// Makes a form exist; false where it cannot.
bool Search::have(Partial &partial, ValueForm form) {
  int &id = partial.conditions[slots[form.value]];
  const Condition &condition = conditions[form.value][id];
  int64_t price = condition.prices[form.form];
  if (price == kImpossible)
    return false;
  partial.cost += price;
  bool isNew = !condition.takesMemory[form.form];
  id = conditions[form.value].with(id, form.form);
  if (isNew)
    for (OpenRow &open : partial.open) {
      const MemoryRow &row = rows[open.row];
      auto term =
          std::ranges::lower_bound(row.forms, form, {}, &FormBytes::form);
      if (term != row.forms.end() && term->form == form)
        open.left -= term->bytes;
      if (open.left < 0)
        return false;
    }
  return true;
}

/// The bytes of the row that the way and the forms that exist leave.
int64_t Search::bytesLeft(const MemoryRow &row, const Partial &partial,
                          int w) const {
  int64_t left = row.capacity - row.fixed;
  for (WayBytes term : row.ways)
    if (term.way == w)
      left -= term.bytes;
  for (const FormBytes &term : row.forms) {
    auto [value, form] = term.form;
    const Condition &condition =
        conditions[value][partial.conditions[slots[value]]];
    if (condition.takesMemory[form])
      left -= term.bytes;
  }
  return left;
}

/// The most bytes of the row that forms can take which do not exist yet.
int64_t Search::mostBytesBehind(const MemoryRow &row, const Partial &partial,
                                int i) const {
  int64_t most = 0;
  std::vector<int64_t> bytes;
  for (auto term = row.forms.begin(); term != row.forms.end();) {
    int value = term->form.value;
    size_t needs = lifetimes.needsBehind(value, i);
    bytes.clear();
    for (; term != row.forms.end() && term->form.value == value; ++term) {
      int form = term->form.form;
      if (needs == 0 || lifetimes.lastNeed(term->form) <= i)
        continue;
      const Condition &condition =
          conditions[value][partial.conditions[slots[value]]];
      if (!condition.takesMemory[form] && condition.prices[form] != kImpossible)
        bytes.push_back(term->bytes);
    }
    if (bytes.size() > needs) {
      std::ranges::nth_element(bytes, bytes.begin() + needs, std::greater());
      bytes.resize(needs);
    }
    most = std::accumulate(bytes.begin(), bytes.end(), most);
  }
  return most;
}

/// Looks at the rows of operation `i`; false where one of them is exceeded.
bool Search::fits(Partial &partial, int i, int w) const {
  for (const MemoryRow &row : rowsHere) {
    int64_t left = bytesLeft(row, partial, w);
    if (left < 0)
      return false;
    partial.open.push_back({static_cast<int>(&row - rows.data()), left});
  }
  std::erase_if(partial.open, [&](const OpenRow &open) {
    return mostBytesBehind(rows[open.row], partial, i) <= open.left;
  });
  return true;
}

void Search::keep(const Partial &partial, int i) {
  Partial kept = partial;
  kept.conditions.clear();
  kept.least = partial.cost + prices.behind(i + 1);
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
