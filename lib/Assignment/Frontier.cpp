// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Frontier.h"

#include "Dominance.h"

#include <algorithm>
#include <tuple>

namespace npu {
namespace {

/// With how many cheaper ones a partial assignment is compared.
constexpr size_t kCompared = 256;

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
      known.try_emplace({partial.conditions, partial.open}, partials.size());
  if (isNew)
    partials.push_back(std::move(partial));
  else if (partial.cost < partials[it->second].cost)
    partials[it->second] = std::move(partial);
}

void Frontier::dropDominated(const std::vector<Conditions> &conditions,
                             int operation) {
  known.clear();
  std::ranges::sort(partials, {}, [](const Partial &partial) {
    return std::tie(partial.cost, partial.conditions, partial.open);
  });
  Dominance dominance(*this, conditions, operation);
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
    return std::tie(partial.least, partial.cost, partial.conditions,
                    partial.open);
  });
  int64_t least = partials[most].least;
  partials.resize(most);
  return least;
}

} // namespace npu
