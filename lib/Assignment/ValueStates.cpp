// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ValueStates.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace npu {

int ValueStates::intern(ValueState state) {
  auto [it, isNew] =
      ids.try_emplace(std::move(state), static_cast<int>(all.size()));
  // The keys of a map keep their addresses.
  if (isNew) {
    all.emplace_back().state = &it->first;
    all.back().with.assign(value->layouts.size(), -1);
    all.back().changesAt = changesAt(it->first);
  }
  return it->second;
}

/// The first operation after which no later one can observe some part of the
/// state.
int ValueStates::changesAt(const ValueState &state) const {
  int first = std::numeric_limits<int>::max();
  for (int layout = 0; layout < static_cast<int>(value->layouts.size());
       ++layout) {
    ValueLayout which{number, layout};
    if (state.costs[layout] != kImpossible)
      first = std::min(first, lifetimes->lastUse(which));
    if (state.takesMemory[layout])
      first = std::min(first, std::max(lifetimes->lastUse(which),
                                       lifetimes->lastRow(which)));
  }
  return first;
}

int ValueStates::made(int layout) {
  madeIds.resize(value->layouts.size(), -1);
  if (madeIds[layout] >= 0)
    return madeIds[layout];
  ValueState state{value->moves[layout],
                   std::vector<bool>(value->layouts.size(), false)};
  state.takesMemory[layout] = lifetimes->lastRow({number, layout}) >= 0;
  return madeIds[layout] = intern(std::move(state));
}

int ValueStates::with(int id, int layout) {
  if (all[id].with[layout] >= 0)
    return all[id].with[layout];
  ValueState state = (*this)[id];
  state.costs[layout] = 0;
  state.takesMemory[layout] = lifetimes->lastRow({number, layout}) >= 0;
  int known = intern(std::move(state));
  return all[id].with[layout] = known;
}

int ValueStates::forget(ValueState state, int operation) {
  for (int layout = 0; layout < static_cast<int>(value->layouts.size());
       ++layout) {
    if (lifetimes->lastUse({number, layout}) <= operation)
      state.costs[layout] = kImpossible;
    if (!lifetimes->matters({number, layout}, operation))
      state.takesMemory[layout] = false;
  }
  return intern(std::move(state));
}

int ValueStates::after(int id, int operation) {
  if (operation < all[id].changesAt)
    return id;
  if (all[id].operation == operation)
    return all[id].after;
  int known = forget((*this)[id], operation);
  all[id].operation = operation;
  return all[id].after = known;
}

int64_t ValueStates::boundAfter(int id, int operation, Duals &duals) {
  Known &known = all[id];
  if (known.asked == operation && known.version == duals.version())
    return known.least;
  int readers = duals.readersFrom(number, operation + 1);
  if (known.readers != readers || known.version != duals.version())
    known.least = duals.boundFrom(number, operation + 1, known.state->costs,
                                  known.state->takesMemory);
  known.asked = operation;
  known.readers = readers;
  known.version = duals.version();
  return known.least;
}

std::optional<int64_t> ValueStates::extraCost(int a, int b,
                                              int operation) const {
  if (a == b)
    return 0;
  const ValueState &left = (*this)[a], &right = (*this)[b];
  std::vector<int64_t> extra;
  for (size_t layout = 0; layout < left.costs.size(); ++layout) {
    if (left.takesMemory[layout] && !right.takesMemory[layout])
      return {};
    if (right.costs[layout] == kImpossible)
      continue;
    if (left.costs[layout] == kImpossible)
      return {};
    if (left.costs[layout] > right.costs[layout])
      extra.push_back(left.costs[layout] - right.costs[layout]);
  }
  // Later operations add at most so many layouts.
  std::ranges::sort(extra, std::greater());
  extra.resize(std::min(extra.size(), static_cast<size_t>(lifetimes->usesAfter(
                                          number, operation))));
  return std::accumulate(extra.begin(), extra.end(), int64_t{0});
}

} // namespace npu
