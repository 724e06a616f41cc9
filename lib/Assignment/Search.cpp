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
      prices(problem, lifetimes, rows), slots(problem.values.size(), -1) {
  for (size_t v = 0; v < problem.values.size(); ++v)
    conditions.emplace_back(problem.values[v], static_cast<int>(v), lifetimes);
}

void Search::improvePrices(int64_t enough) { prices.improve(kRounds, enough); }

void Search::adoptPrices(const Search &others, const ShortProblem &shorter) {
  prices.adopt(others.prices, shorter);
}

Search::Outcome Search::run(size_t most, int64_t costsLessThan) {
  width = most;
  lessThan = costsLessThan;
  dropped = kNone;
  frontiers.assign(problem.operations.size() + 1, {});
  frontiers[0].partials.push_back({});
  pending.emplace(rows, lifetimes);
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
  pending->advance(i);
  for (Partial &partial : continued)
    keep(std::move(partial), i);
  continued.clear();
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
    for (Partial &partial : frontier.partials) {
      partial.conditions.push_back(id);
      partial.rent += prices.rents().of({value, 0});
    }
  }
}

/// Continues one partial assignment with one way.
void Search::take(const Partial &partial, int number, int i, int w) {
  const Way &way = problem.operations[i].ways[w];
  Partial next = partial;
  next.cost += way.cost;
  next.rent += prices.rents().of(i, w);
  next.parent = number;
  next.way = w;
  for (size_t r = 0; r < made[i].size(); ++r) {
    next.conditions.push_back(conditions[made[i][r]].made(way.makes[r]));
    next.rent += prices.rents().of({made[i][r], way.makes[r]});
  }
  for (ValueForm need : way.needs)
    if (!have(next, need))
      return;
  if (fits(next, w))
    continued.push_back(std::move(next));
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
  if (isNew) {
    partial.rent += prices.rents().of(form);
    for (OpenRow &open : partial.open) {
      const std::vector<FormBytes> &counted = pending->forms(open.row);
      auto term = std::ranges::lower_bound(counted, form, {}, &FormBytes::form);
      if (term != counted.end() && term->form == form)
        open.left -= term->bytes;
      if (open.left < 0)
        return false;
    }
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

/// Looks at the rows of operation `i`; false where one of them is exceeded.
bool Search::fits(Partial &partial, int w) const {
  if (isMemoryIgnored)
    return true;
  for (const MemoryRow &row : rowsHere) {
    int64_t left = bytesLeft(row, partial, w);
    if (left < 0)
      return false;
    partial.open.push_back({static_cast<int>(&row - rows.data()), left});
  }
  return true;
}

/// The most bytes of a pending row that forms can take which do not exist yet.
int64_t Search::mostBytesBehind(int row, const Partial &partial, int i) const {
  const std::vector<FormBytes> &counted = pending->forms(row);
  int64_t most = 0;
  std::vector<int64_t> bytes;
  for (auto term = counted.begin(); term != counted.end();) {
    int value = term->form.value;
    const Condition &condition =
        conditions[value][partial.conditions[slots[value]]];
    bytes.clear();
    for (; term != counted.end() && term->form.value == value; ++term)
      if (!condition.takesMemory[term->form.form] &&
          condition.prices[term->form.form] != kImpossible)
        bytes.push_back(term->bytes);
    size_t needs = lifetimes.needsBehind(value, i);
    if (bytes.size() > needs) {
      std::ranges::nth_element(bytes, bytes.begin() + needs, std::greater());
      bytes.resize(needs);
    }
    most = std::accumulate(bytes.begin(), bytes.end(), most);
  }
  return most;
}

/// Drops rows that nothing exceeds any more behind operation `i`.
void Search::closeRows(Partial &partial, int i) const {
  for (OpenRow &open : partial.open)
    open.row = pending->standIn(open.row);
  // Of rows that are one, that with the least room.
  std::ranges::sort(partial.open);
  auto same = std::ranges::unique(partial.open, {}, &OpenRow::row);
  partial.open.erase(same.begin(), same.end());
  std::erase_if(partial.open, [&](const OpenRow &open) {
    return open.row < 0 || mostBytesBehind(open.row, partial, i) <= open.left;
  });
}

/// Puts it into the frontier behind operation `i`.
void Search::keep(Partial partial, int i) {
  std::vector<int> behind;
  int64_t least = prices.behind(i + 1);
  for (int value : frontiers[i + 1].values) {
    int id = conditions[value].behind(partial.conditions[slots[value]], i);
    behind.push_back(id);
    least += conditions[value].leastBehind(id, i, prices);
  }
  partial.least = partial.cost + Prices::rounded(partial.rent + least);
  if (partial.least >= lessThan)
    return;
  closeRows(partial, i);
  partial.conditions = std::move(behind);
  frontiers[i + 1].add(std::move(partial));
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
