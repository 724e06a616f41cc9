// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Search.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace npu {
namespace {

/// More sweeps hardly raise the bound.
constexpr int kRounds = 12;

/// Subgradient steps, and sweeps of the duals after each.
constexpr int kChanges = 40, kSettle = 2;

/// The step length is halved after so many steps that do not raise the bound.
constexpr int kPatience = 3;

/// A subgradient step: moves each multiplier along the excess of its row. The
/// step length is Polyak's: the bound would rise by `missing` if nothing else
/// changed. False where no row is exceeded.
bool changeMultipliers(std::vector<int64_t> &duals,
                       const std::vector<double> &excess, double missing) {
  double squares = 0;
  for (size_t r = 0; r < duals.size(); ++r)
    if (excess[r] > 0 || duals[r] > 0)
      squares += excess[r] * excess[r];
  if (squares == 0)
    return false;
  for (size_t r = 0; r < duals.size(); ++r)
    duals[r] = static_cast<int64_t>(std::clamp(
        static_cast<double>(duals[r]) + missing * excess[r] / squares, 0.0,
        static_cast<double>(CapacityMultipliers::kLargest)));
  return true;
}

} // namespace

void PendingRows::advance(int operation) {
  for (; next < rows.size() && rows[next].at == operation; ++next) {
    counted[next] = rows[next].layouts;
    std::ranges::sort(counted[next], {}, &LayoutBytes::layout);
    pending.push_back(static_cast<int>(next));
  }
  std::vector<int> kept;
  for (int row : pending) {
    std::erase_if(counted[row], [&](const LayoutBytes &term) {
      return term.bytes == 0 || lifetimes.lastUse(term.layout) <= operation;
    });
    if (counted[row].empty()) {
      places[row] = -1;
      continue;
    }
    auto same = std::ranges::find_if(
        kept, [&](int other) { return counted[other] == counted[row]; });
    if (same == kept.end()) {
      places[row] = row;
      kept.push_back(row);
    } else {
      places[row] = *same;
      counted[row].clear();
    }
  }
  pending = std::move(kept);
}

Search::Search(const AssignmentProblem &problem)
    : problem(problem), made(valuesMade(problem)),
      rows(rowsThatMatter(problem)), lifetimes(problem, rows),
      duals(problem, lifetimes, rows), slots(problem.values.size(), -1) {
  for (size_t v = 0; v < problem.values.size(); ++v)
    states.emplace_back(problem.values[v], static_cast<int>(v), lifetimes);
}

void Search::improveDuals(int64_t enough) { duals.improve(kRounds, enough); }

void Search::adoptDuals(const Search &others, const ShortProblem &shorter) {
  duals.adopt(others.duals, shorter);
}

bool Search::lookAhead() {
  if (ahead || rows.empty())
    return false;
  ahead.emplace(problem, made, rows, lifetimes);
  return true;
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
  return {chosenCandidates(), dropped, -1};
}

/// Extends every partial assignment before operation `i` by each of its
/// candidates.
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
  rowsHere = std::ranges::equal_range(rows, i, {}, &CapacityRow::at);
  heldHere.clear();
  heldAhead.clear();
  if (!isMemoryIgnored) {
    for (const CapacityRow &row : rowsHere)
      heldHere.emplace_back(row.layouts, slots);
    if (ahead)
      for (const RowsAhead::Row &row : ahead->after(i))
        heldAhead.emplace_back(row.layouts, slots);
  }
  for (size_t p = 0; p < before.partials.size(); ++p)
    for (size_t w = 0; w < problem.operations[i].candidates.size(); ++w)
      take(before.partials[p], static_cast<int>(p), i, static_cast<int>(w));
  pending->advance(i);
  termsOfRows.assign(rows.size(), {});
  for (Partial &partial : continued) {
    beginFamily(before.partials[partial.parent]);
    keep(std::move(partial), i);
  }
  parent = nullptr;
  continued.clear();
  // The search for dominated ones is quadratic, so that it begins with twice as
  // many as are kept.
  drop(after, 2 * width);
  after.dropDominated(states, i);
  drop(after, width);
  // Only costs and parents of earlier partial assignments are used from here
  // on.
  for (Partial &partial : before.partials)
    partial.states = {}, partial.open = {};
}

void Search::drop(Frontier &frontier, size_t most) {
  if (auto least = frontier.keepBest(most))
    dropped = std::min(dropped, *least);
}

/// Arguments and constants become live at their first use.
void Search::enterValues(Frontier &frontier, int i) {
  for (int value : lifetimes.entering(i)) {
    frontier.values.push_back(value);
    int id = states[value].made(0);
    for (Partial &partial : frontier.partials) {
      partial.states.push_back(id);
      partial.capacityCost += duals.multipliers().of({value, 0});
    }
  }
}

/// Extends one partial assignment by one candidate.
void Search::take(const Partial &partial, int number, int i, int w) {
  const Candidate &candidate = problem.operations[i].candidates[w];
  Partial next = partial;
  next.cost += candidate.cost;
  next.capacityCost += duals.multipliers().of(i, w);
  next.parent = number;
  next.candidate = w;
  for (size_t r = 0; r < made[i].size(); ++r) {
    next.states.push_back(states[made[i][r]].made(candidate.resultLayouts[r]));
    next.capacityCost +=
        duals.multipliers().of({made[i][r], candidate.resultLayouts[r]});
  }
  for (ValueLayout operand : candidate.operandLayouts)
    if (!have(next, operand))
      return;
  if (fits(next, w))
    continued.push_back(std::move(next));
}

/// Adds a layout of a value; false where no move leads to it or where it
/// exceeds a capacity row.
bool Search::have(Partial &partial, ValueLayout layout) {
  int &id = partial.states[slots[layout.value]];
  const ValueState &state = states[layout.value][id];
  int64_t cost = state.costs[layout.layout];
  if (cost == kImpossible)
    return false;
  partial.cost += cost;
  bool isNew = !state.takesMemory[layout.layout];
  id = states[layout.value].with(id, layout.layout);
  if (isNew) {
    partial.capacityCost += duals.multipliers().of(layout);
    for (OpenRow &open : partial.open) {
      const std::vector<LayoutBytes> &counted = pending->layouts(open.row);
      auto term =
          std::ranges::lower_bound(counted, layout, {}, &LayoutBytes::layout);
      if (term != counted.end() && term->layout == layout)
        open.left -= term->bytes;
      if (open.left < 0)
        return false;
    }
  }
  return true;
}

/// The bytes of the row that the candidate and the existing layouts leave free.
int64_t Search::bytesLeft(size_t number, const Partial &partial, int w) {
  const CapacityRow &row = rowsHere[number];
  int64_t left = row.capacity - row.fixed;
  for (CandidateBytes term : row.candidates)
    if (term.candidate == w)
      left -= term.bytes;
  return left - heldHere[number].of(partial, states);
}

/// Checks the capacity rows of operation `i`; false where one of them is
/// exceeded.
bool Search::fits(Partial &partial, int w) {
  if (isMemoryIgnored)
    return true;
  auto first = static_cast<int>(rowsHere.begin() - rows.begin());
  for (size_t number = 0; number < rowsHere.size(); ++number) {
    int64_t left = bytesLeft(number, partial, w);
    if (left < 0)
      return false;
    partial.open.push_back({first + static_cast<int>(number), left});
  }
  return true;
}

/// An upper bound of the bytes that layouts of one value can still add, whose
/// terms of a row these are, when the value is in state `id`.
int64_t Search::mostBytesOf(std::span<const LayoutBytes> terms, int id,
                            int i) const {
  int value = terms.front().layout.value;
  const ValueState &state = states[value][id];
  std::vector<int64_t> bytes;
  for (const LayoutBytes &term : terms)
    if (!state.takesMemory[term.layout.layout] &&
        state.costs[term.layout.layout] != kImpossible)
      bytes.push_back(term.bytes);
  size_t needs = lifetimes.usesAfter(value, i);
  if (bytes.size() > needs) {
    std::ranges::nth_element(bytes, bytes.begin() + needs, std::greater());
    bytes.resize(needs);
  }
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

/// Divides the terms of a pending row by their values.
void Search::groupTerms(int row) {
  const std::vector<LayoutBytes> &counted = pending->layouts(row);
  for (auto term = counted.begin(); term != counted.end();) {
    int value = term->layout.value;
    auto next =
        std::find_if(term, counted.end(), [&](const LayoutBytes &other) {
          return other.layout.value != value;
        });
    termsOfRows[row].push_back({value, std::span(term, next), {}});
    term = next;
  }
}

/// An upper bound of the bytes that layouts which do not exist yet can add to a
/// pending row.
int64_t Search::mostBytesAfter(int row, const Partial &partial, int i) {
  if (termsOfRows[row].empty())
    groupTerms(row);
  int64_t most = 0;
  for (ValueTerms &group : termsOfRows[row]) {
    // States are few, and most partial assignments have most of them in common.
    size_t id = partial.states[slots[group.value]];
    if (id >= group.most.size())
      group.most.resize(id + 1, -1);
    if (group.most[id] < 0)
      group.most[id] = mostBytesOf(group.terms, static_cast<int>(id), i);
    most += group.most[id];
  }
  return most;
}

/// Whether later operations have room, as far as what exists tells.
bool Search::leavesRoom(const Partial &partial, int i) {
  if (!ahead || isMemoryIgnored)
    return true;
  const std::vector<RowsAhead::Row> &later = ahead->after(i);
  for (size_t number = 0; number < later.size(); ++number)
    if (heldAhead[number].of(partial, states) > later[number].room)
      return false;
  return true;
}

/// Drops the rows that no choice after operation `i` can exceed.
void Search::closeRows(Partial &partial, int i) {
  for (OpenRow &open : partial.open)
    open.row = pending->standIn(open.row);
  // Of equal rows the one with the least room.
  std::ranges::sort(partial.open);
  auto same = std::ranges::unique(partial.open, {}, &OpenRow::row);
  partial.open.erase(same.begin(), same.end());
  std::erase_if(partial.open, [&](const OpenRow &open) {
    return open.row < 0 || mostBytesAfter(open.row, partial, i) <= open.left;
  });
}

/// Remembers whose extensions are kept from here on.
void Search::beginFamily(const Partial &next) {
  if (parent == &next)
    return;
  parent = &next;
  inherited.assign(next.states.size(), {});
}

/// Adds it to the frontier after operation `i`, unless its lower bound is no
/// better than the best known cost.
void Search::keep(Partial partial, int i) {
  if (!leavesRoom(partial, i))
    return;
  std::vector<int> after;
  int64_t least = duals.after(i + 1);
  for (int value : frontiers[i + 1].values) {
    size_t slot = slots[value];
    Inherited own;
    bool isInherited = slot < parent->states.size() &&
                       partial.states[slot] == parent->states[slot];
    Inherited &known = isInherited ? inherited[slot] : own;
    if (known.after < 0) {
      known.after = states[value].after(partial.states[slot], i);
      known.least = states[value].boundAfter(known.after, i, duals);
    }
    after.push_back(known.after);
    least += known.least;
  }
  partial.least = partial.cost + Duals::rounded(partial.capacityCost + least);
  if (partial.least >= lessThan)
    return;
  closeRows(partial, i);
  partial.states = std::move(after);
  frontiers[i + 1].add(std::move(partial));
}

std::vector<int> Search::chosenCandidates() const {
  std::vector<int> candidates(problem.operations.size());
  // After the last operation no value is live, so that all partial assignments
  // have become one.
  int at = 0;
  for (size_t i = problem.operations.size(); i-- > 0;) {
    const Partial &partial = frontiers[i + 1].partials[at];
    candidates[i] = partial.candidate;
    at = partial.parent;
  }
  return candidates;
}

bool Search::improveMultipliers(int64_t atMost) {
  if (rows.empty())
    return false;
  if (!duals.canImprove())
    return true;
  std::vector<int64_t> rowMultipliers(rows.size(), 0);
  Duals::Split best = duals.save();
  int64_t bestBound = duals.bound();
  double step = 1;
  int worse = 0;
  isMemoryIgnored = true;
  for (int change = 0; change < kChanges && bestBound < atMost; ++change) {
    Outcome walk = run(1, kNone);
    if (walk.candidates.empty())
      break;
    double missing =
        step * Duals::kScale * static_cast<double>(atMost - duals.bound());
    if (!changeMultipliers(rowMultipliers,
                           duals.multipliers().excess(walk.candidates),
                           missing))
      break;
    duals.setMultipliers(rowMultipliers, kSettle);
    if (duals.bound() > bestBound) {
      best = duals.save();
      bestBound = duals.bound();
      worse = 0;
    } else if (++worse == kPatience) {
      step /= 2;
      worse = 0;
    }
  }
  isMemoryIgnored = false;
  duals.restore(std::move(best));
  return true;
}

} // namespace npu
