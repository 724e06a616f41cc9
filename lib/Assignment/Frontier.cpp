// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Frontier.h"

#include <algorithm>
#include <tuple>

namespace npu {
namespace {

/// The number of cheaper partial assignments that each one is compared with.
constexpr size_t kCompared = 256;

constexpr int64_t kNotKnown = -1, kNotAsked = -2;

/// No table is made for values with more states than this.
constexpr size_t kMostPlaces = 1000;

/// Tests dominance between the partial assignments of one frontier. The extra
/// costs between two states of a value are computed once.
class Dominance {
public:
  /// The arguments outlive this.
  Dominance(const Frontier &frontier, const std::vector<ValueStates> &states,
            int operation);

  /// Whether partial assignment number `by` dominates number `partial`: every
  /// completion of the latter is one of the former, at no higher cost.
  bool isDominated(size_t partial, size_t by);

private:
  struct Column {
    int value = 0;
    /// The different states of the value, and the place in this list of the
    /// state of each partial assignment.
    std::vector<int> ids, places;
    /// For each pair of places the result of ValueStates::extraCost: kNotKnown,
    /// or kNotAsked before it is computed.
    std::vector<int64_t> extra;
  };
  int64_t extra(Column &column, size_t a, size_t b) const;
  bool hasRoom(const Partial &partial, const Partial &by) const;

  const Frontier &frontier;
  const std::vector<ValueStates> &states;
  int operation;
  std::vector<Column> columns;
};

Dominance::Dominance(const Frontier &frontier,
                     const std::vector<ValueStates> &states, int operation)
    : frontier(frontier), states(states), operation(operation) {
  for (size_t i = 0; i < frontier.values.size(); ++i) {
    Column column{frontier.values[i], {}, {}, {}};
    for (const Partial &partial : frontier.partials)
      column.ids.push_back(partial.states[i]);
    std::ranges::sort(column.ids);
    auto rest = std::ranges::unique(column.ids);
    column.ids.erase(rest.begin(), rest.end());
    // Values that have the same state everywhere need no comparison.
    if (column.ids.size() == 1)
      continue;
    for (const Partial &partial : frontier.partials)
      column.places.push_back(static_cast<int>(
          std::ranges::lower_bound(column.ids, partial.states[i]) -
          column.ids.begin()));
    if (column.ids.size() <= kMostPlaces)
      column.extra.assign(column.ids.size() * column.ids.size(), kNotAsked);
    columns.push_back(std::move(column));
  }
}

int64_t Dominance::extra(Column &column, size_t a, size_t b) const {
  auto ask = [&] {
    return states[column.value]
        .extraCost(column.ids[a], column.ids[b], operation)
        .value_or(kNotKnown);
  };
  if (column.extra.empty())
    return ask();
  int64_t &known = column.extra[a * column.ids.size() + b];
  if (known == kNotAsked)
    known = ask();
  return known;
}

/// Whether every open row leaves `by` at least the room that it leaves
/// `partial`.
bool Dominance::hasRoom(const Partial &partial, const Partial &by) const {
  if (by.open.empty())
    return true;
  for (OpenRow open : by.open) {
    auto same =
        std::ranges::lower_bound(partial.open, open.row, {}, &OpenRow::row);
    if (same == partial.open.end() || same->row != open.row ||
        same->left > open.left)
      return false;
  }
  // Otherwise a later choice could add bytes in one of them only.
  for (size_t i = 0; i < frontier.values.size(); ++i) {
    const ValueStates &all = states[frontier.values[i]];
    if (all[partial.states[i]].takesMemory != all[by.states[i]].takesMemory)
      return false;
  }
  return true;
}

bool Dominance::isDominated(size_t partial, size_t by) {
  int64_t most = frontier.partials[partial].cost - frontier.partials[by].cost;
  for (size_t c = 0; c < columns.size(); ++c) {
    Column &column = columns[c];
    int64_t more = extra(column, column.places[by], column.places[partial]);
    if (more == kNotKnown || more > most) {
      // What tells two apart often tells the next two apart.
      if (c > 0)
        std::swap(column, columns[c / 2]);
      return false;
    }
    most -= more;
  }
  return hasRoom(frontier.partials[partial], frontier.partials[by]);
}

} // namespace

size_t Frontier::Hash::operator()(const Key &key) const {
  size_t hash = key.second.size();
  auto add = [&](size_t number) {
    hash = (hash ^ number) * 0x9E3779B97F4A7C15ULL;
  };
  for (int number : key.first)
    add(static_cast<size_t>(number));
  for (OpenRow open : key.second)
    add(static_cast<size_t>(open.left));
  return hash ^ (hash >> 32);
}

void Frontier::add(Partial partial) {
  auto [it, isNew] =
      known.try_emplace({partial.states, partial.open}, partials.size());
  if (isNew)
    partials.push_back(std::move(partial));
  else if (partial.cost < partials[it->second].cost)
    partials[it->second] = std::move(partial);
}

void Frontier::dropDominated(const std::vector<ValueStates> &states,
                             int operation) {
  known.clear();
  std::ranges::sort(partials, {}, [](const Partial &partial) {
    return std::tie(partial.cost, partial.states, partial.open);
  });
  Dominance dominance(*this, states, operation);
  std::vector<size_t> kept;
  for (size_t p = 0; p < partials.size(); ++p) {
    auto last = kept.begin() + std::min(kept.size(), kCompared);
    if (std::none_of(kept.begin(), last,
                     [&](size_t by) { return dominance.isDominated(p, by); }))
      kept.push_back(p);
  }
  for (size_t k = 0; k < kept.size(); ++k)
    if (kept[k] != k)
      partials[k] = std::move(partials[kept[k]]);
  partials.resize(kept.size());
}

std::optional<int64_t> Frontier::keepBest(size_t most) {
  if (partials.size() <= most)
    return {};
  known.clear();
  std::ranges::sort(partials, {}, [](const Partial &partial) {
    return std::tie(partial.least, partial.cost, partial.states, partial.open);
  });
  int64_t least = partials[most].least;
  partials.resize(most);
  return least;
}

} // namespace npu
