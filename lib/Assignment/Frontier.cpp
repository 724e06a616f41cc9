// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Frontier.h"

#include <algorithm>
#include <tuple>

namespace npu {
namespace {

/// With how many cheaper ones a partial assignment is compared.
constexpr size_t kCompared = 256;

bool isDominated(const Partial &partial, const Partial &by,
                 const std::vector<int> &values,
                 std::vector<Conditions> &conditions, int operation) {
  int64_t most = partial.cost - by.cost;
  for (size_t i = 0; i < values.size(); ++i) {
    auto extra = conditions[values[i]].extraCost(
        by.conditions[i], partial.conditions[i], operation);
    if (!extra || *extra > most)
      return false;
    most -= *extra;
  }
  return true;
}

} // namespace

size_t Frontier::Hash::operator()(const std::vector<int> &numbers) const {
  size_t hash = numbers.size();
  for (int number : numbers)
    hash = (hash ^ static_cast<size_t>(number)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

void Frontier::add(Partial partial) {
  auto [it, isNew] = known.try_emplace(partial.conditions, partials.size());
  if (isNew)
    partials.push_back(std::move(partial));
  else if (partial.cost < partials[it->second].cost)
    partials[it->second] = std::move(partial);
}

void Frontier::dropDominated(std::vector<Conditions> &conditions,
                             int operation) {
  known.clear();
  std::ranges::sort(partials, {}, [](const Partial &partial) {
    return std::tie(partial.cost, partial.conditions);
  });
  std::vector<Partial> kept;
  for (Partial &partial : partials) {
    size_t compared = std::min(kept.size(), kCompared);
    bool dominated = std::any_of(
        kept.begin(), kept.begin() + compared, [&](const Partial &by) {
          return isDominated(partial, by, values, conditions, operation);
        });
    if (!dominated)
      kept.push_back(std::move(partial));
  }
  partials = std::move(kept);
}

std::optional<int64_t> Frontier::keepCheapest(size_t most) {
  if (partials.size() <= most)
    return {};
  // Sorted by cost since the dominated ones were dropped.
  int64_t least = partials[most].cost;
  partials.resize(most);
  return least;
}

} // namespace npu
