// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Assignment/LeastCost.h"

#include "Frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace npu {
namespace {

class Search {
public:
  Search(const AssignmentProblem &problem, const SearchLimits &limits)
      : problem(problem), limits(limits), made(valuesMade(problem)),
        rows(rowsThatMatter(problem)), lifetimes(problem, rows) {
    for (size_t v = 0; v < problem.values.size(); ++v)
      conditions.emplace_back(problem.values[v], static_cast<int>(v),
                              lifetimes);
    leastBehind.assign(problem.operations.size() + 1, 0);
    for (size_t i = problem.operations.size(); i-- > 0;) {
      const auto &ways = problem.operations[i].ways;
      leastBehind[i] = leastBehind[i + 1] +
                       std::ranges::min_element(ways, {}, &Way::cost)->cost;
    }
  }

  Result<Assignment> run() {
    frontiers.resize(problem.operations.size() + 1);
    frontiers[0].partials.push_back({});
    for (size_t i = 0; i < problem.operations.size(); ++i) {
      step(static_cast<int>(i));
      if (frontiers[i + 1].partials.empty())
        return nothingFits(i);
    }
    return result();
  }

private:
  /// Continues every partial assignment in front of operation `i`.
  void step(int i) {
    Frontier &before = frontiers[i], &after = frontiers[i + 1];
    enterValues(before, i);
    live = before.values;
    live.insert(live.end(), made[i].begin(), made[i].end());
    slots.assign(problem.values.size(), -1);
    for (size_t slot = 0; slot < live.size(); ++slot)
      slots[live[slot]] = static_cast<int>(slot);
    for (int value : live)
      if (lifetimes.last(value) > i)
        after.values.push_back(value);
    rowsHere = std::ranges::equal_range(rows, i, {}, &MemoryRow::at);
    for (size_t p = 0; p < before.partials.size(); ++p)
      for (size_t w = 0; w < problem.operations[i].ways.size(); ++w)
        take(before.partials[p], static_cast<int>(p), i, static_cast<int>(w));
    after.dropDominated(conditions, i);
    if (auto dropped = after.keepCheapest(limits.states))
      droppedBound = std::min(droppedBound, *dropped + leastBehind[i + 1]);
    // The conditions of what is done are not asked for again.
    for (Partial &partial : before.partials)
      partial.conditions.clear();
  }

  /// Arguments and constants matter from the first operation on that they
  /// matter to.
  void enterValues(Frontier &frontier, int i) {
    for (int value : lifetimes.entering(i)) {
      frontier.values.push_back(value);
      int id = conditions[value].made(0);
      for (Partial &partial : frontier.partials)
        partial.conditions.push_back(id);
    }
  }

  /// Continues one partial assignment with one way.
  void take(const Partial &partial, int number, int i, int w) {
    const Way &way = problem.operations[i].ways[w];
    Partial next{partial.conditions, partial.cost + way.cost, number, w};
    for (size_t r = 0; r < made[i].size(); ++r)
      next.conditions.push_back(conditions[made[i][r]].made(way.makes[r]));
    for (ValueForm need : way.needs)
      if (!have(next, need))
        return;
    decide(next, i, w);
  }

  /// Makes a form exist; false where it cannot.
  bool have(Partial &partial, ValueForm form) {
    int &id = partial.conditions[slots[form.value]];
    int64_t price = conditions[form.value][id].prices[form.form];
    if (price == kImpossible)
      return false;
    partial.cost += price;
    id = conditions[form.value].with(id, form.form);
    return true;
  }

  /// A form that takes memory at operation `i` if it exists, which is not
  /// decided yet, because later operations may need it.
  std::optional<ValueForm> undecided(const Partial &partial, int i) const {
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

  bool fits(const Partial &partial, int w) const {
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
  void decide(const Partial &partial, int i, int w) {
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
    Partial kept{{}, partial.cost, partial.parent, partial.way};
    for (int value : frontiers[i + 1].values)
      kept.conditions.push_back(
          conditions[value].behind(partial.conditions[slots[value]], i));
    frontiers[i + 1].add(std::move(kept));
  }

  Error nothingFits(size_t i) const {
    if (droppedBound != std::numeric_limits<int64_t>::max())
      return Error{fmt::format("operation {}: nothing that fits was found with "
                               "{} partial assignments",
                               i, limits.states)};
    return Error{
        fmt::format("operation {}: no way of it fits with any choice of "
                    "ways before it",
                    i)};
  }

  Result<Assignment> result() const {
    std::vector<int> ways(problem.operations.size());
    // One is left behind the last operation: no value matters any more.
    int at = 0;
    for (size_t i = problem.operations.size(); i-- > 0;) {
      const Partial &partial = frontiers[i + 1].partials[at];
      ways[i] = partial.way;
      at = partial.parent;
    }
    Result<Assignment> found = completeWays(problem, ways);
    if (found)
      found->bound = std::min(found->cost, droppedBound);
    return found;
  }

  const AssignmentProblem &problem;
  SearchLimits limits;
  std::vector<std::vector<int>> made;
  std::vector<MemoryRow> rows;
  Lifetimes lifetimes;
  std::vector<Conditions> conditions;
  std::vector<Frontier> frontiers;
  /// The sum of the least costs of the operations from each on.
  std::vector<int64_t> leastBehind;
  int64_t droppedBound = std::numeric_limits<int64_t>::max();

  // Of the operation that is being added: the live values and its results, the
  // place of each value among them, and its rows of memory.
  std::vector<int> live, slots;
  std::ranges::subrange<std::vector<MemoryRow>::iterator> rowsHere;
};

} // namespace

Result<Assignment> assignLeast(const AssignmentProblem &problem,
                               const SearchLimits &limits) {
  return Search(problem, limits).run();
}

} // namespace npu
