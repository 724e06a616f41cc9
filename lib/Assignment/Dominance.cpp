// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dominance.h"

#include <algorithm>

namespace npu {
namespace {

constexpr int64_t kNotKnown = -1, kNotAsked = -2;

/// A table of more conditions of one value would be too large.
constexpr size_t kMostPlaces = 1000;

} // namespace

Dominance::Dominance(const Frontier &frontier,
                     const std::vector<Conditions> &conditions, int operation)
    : frontier(frontier), conditions(conditions), operation(operation) {
  for (size_t i = 0; i < frontier.values.size(); ++i) {
    Column column{frontier.values[i], {}, {}, {}};
    for (const Partial &partial : frontier.partials)
      column.ids.push_back(partial.conditions[i]);
    std::ranges::sort(column.ids);
    auto rest = std::ranges::unique(column.ids);
    column.ids.erase(rest.begin(), rest.end());
    // Values of which nothing differs say nothing.
    if (column.ids.size() == 1)
      continue;
    for (const Partial &partial : frontier.partials)
      column.places.push_back(static_cast<int>(
          std::ranges::lower_bound(column.ids, partial.conditions[i]) -
          column.ids.begin()));
    if (column.ids.size() <= kMostPlaces)
      column.extra.assign(column.ids.size() * column.ids.size(), kNotAsked);
    columns.push_back(std::move(column));
  }
}

int64_t Dominance::extra(Column &column, size_t a, size_t b) const {
  auto ask = [&] {
    return conditions[column.value]
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

/// Whether rows behind the last operation leave `by` the room that they leave
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
  // What one of them has, and the other one has not, may be counted there.
  for (size_t i = 0; i < frontier.values.size(); ++i) {
    const Conditions &all = conditions[frontier.values[i]];
    if (all[partial.conditions[i]].takesMemory !=
        all[by.conditions[i]].takesMemory)
      return false;
  }
  return true;
}

bool Dominance::isDominated(size_t partial, size_t by) {
  int64_t most = frontier.partials[partial].cost - frontier.partials[by].cost;
  for (Column &column : columns) {
    int64_t more = extra(column, column.places[by], column.places[partial]);
    if (more == kNotKnown || more > most)
      return false;
    most -= more;
  }
  return hasRoom(frontier.partials[partial], frontier.partials[by]);
}

} // namespace npu
