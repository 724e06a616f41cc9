// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conditions.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace npu {

int Conditions::intern(Condition condition) {
  auto [it, isNew] =
      ids.try_emplace(std::move(condition), static_cast<int>(all.size()));
  // A map's keys stay where they are.
  if (isNew)
    all.push_back(&it->first);
  return it->second;
}

int Conditions::made(int form) {
  Condition condition{value->moves[form],
                      std::vector<bool>(value->forms.size(), false)};
  condition.takesMemory[form] = lifetimes->lastRow({number, form}) >= 0;
  return intern(std::move(condition));
}

int Conditions::with(int id, int form) {
  Condition condition = *all[id];
  condition.prices[form] = 0;
  condition.takesMemory[form] = lifetimes->lastRow({number, form}) >= 0;
  return intern(std::move(condition));
}

int Conditions::without(int id, int form) {
  Condition condition = *all[id];
  condition.prices[form] = kImpossible;
  return intern(std::move(condition));
}

int Conditions::behind(int id, int operation) {
  auto [it, isNew] = forgotten.try_emplace({id, operation}, 0);
  if (!isNew)
    return it->second;
  Condition condition = *all[id];
  for (int form = 0; form < static_cast<int>(value->forms.size()); ++form) {
    if (lifetimes->lastNeed({number, form}) <= operation)
      condition.prices[form] = kImpossible;
    if (lifetimes->lastRow({number, form}) <= operation)
      condition.takesMemory[form] = false;
  }
  int known = intern(std::move(condition));
  forgotten[{id, operation}] = known;
  return known;
}

std::optional<int64_t> Conditions::extraCost(int a, int b, int operation) {
  if (a == b)
    return 0;
  const Condition &left = *all[a], &right = *all[b];
  std::vector<int64_t> extra;
  for (size_t form = 0; form < left.prices.size(); ++form) {
    if (left.takesMemory[form] && !right.takesMemory[form])
      return {};
    if (right.prices[form] == kImpossible)
      continue;
    if (left.prices[form] == kImpossible)
      return {};
    if (left.prices[form] > right.prices[form])
      extra.push_back(left.prices[form] - right.prices[form]);
  }
  // No more forms are needed than there are needs.
  std::ranges::sort(extra, std::greater());
  extra.resize(
      std::min(extra.size(),
               static_cast<size_t>(lifetimes->needsBehind(number, operation))));
  return std::accumulate(extra.begin(), extra.end(), int64_t{0});
}

} // namespace npu
