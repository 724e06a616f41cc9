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
  if (isNew) {
    all.emplace_back().condition = &it->first;
    all.back().with.assign(value->forms.size(), -1);
  }
  return it->second;
}

int Conditions::made(int form) {
  madeIds.resize(value->forms.size(), -1);
  if (madeIds[form] >= 0)
    return madeIds[form];
  Condition condition{value->moves[form],
                      std::vector<bool>(value->forms.size(), false)};
  condition.takesMemory[form] = lifetimes->lastRow({number, form}) >= 0;
  return madeIds[form] = intern(std::move(condition));
}

int Conditions::with(int id, int form) {
  if (all[id].with[form] >= 0)
    return all[id].with[form];
  Condition condition = (*this)[id];
  condition.prices[form] = 0;
  condition.takesMemory[form] = lifetimes->lastRow({number, form}) >= 0;
  int known = intern(std::move(condition));
  return all[id].with[form] = known;
}

int Conditions::forget(Condition condition, int operation) {
  for (int form = 0; form < static_cast<int>(value->forms.size()); ++form) {
    if (lifetimes->lastNeed({number, form}) <= operation)
      condition.prices[form] = kImpossible;
    if (!lifetimes->matters({number, form}, operation))
      condition.takesMemory[form] = false;
  }
  return intern(std::move(condition));
}

int Conditions::behind(int id, int operation) {
  if (all[id].operation == operation)
    return all[id].behind;
  const Condition &now = (*this)[id];
  int known = id;
  for (int form = 0; form < static_cast<int>(value->forms.size()); ++form) {
    ValueForm which{number, form};
    bool isForgotten = now.prices[form] != kImpossible &&
                       lifetimes->lastNeed(which) <= operation;
    bool isFreed =
        now.takesMemory[form] && !lifetimes->matters(which, operation);
    if (isForgotten || isFreed) {
      known = forget(now, operation);
      break;
    }
  }
  all[id].operation = operation;
  return all[id].behind = known;
}

int64_t Conditions::leastBehind(int id, int operation, Prices &prices) {
  Known &known = all[id];
  if (known.asked == operation && known.version == prices.version())
    return known.least;
  int readers = prices.readersFrom(number, operation + 1);
  if (known.readers != readers || known.version != prices.version())
    known.least = prices.atLeast(number, operation + 1, known.condition->prices,
                                 known.condition->takesMemory);
  known.asked = operation;
  known.readers = readers;
  known.version = prices.version();
  return known.least;
}

std::optional<int64_t> Conditions::extraCost(int a, int b,
                                             int operation) const {
  if (a == b)
    return 0;
  const Condition &left = (*this)[a], &right = (*this)[b];
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
