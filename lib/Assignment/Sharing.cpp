// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sharing.h"

#include <algorithm>
#include <bit>

namespace npu {

void Sharing::Group::set(std::span<const std::vector<int64_t> *const> offers,
                         int numForms) {
  readers = static_cast<int>(offers.size());
  forms = numForms;
  int sets = 1 << readers;
  sums.assign(static_cast<size_t>(sets) * forms, 0);
  for (int set = 1; set < sets; ++set) {
    int reader = std::countr_zero(static_cast<unsigned>(set));
    const std::vector<int64_t> &offer = *offers[reader];
    const int64_t *others = &sums[static_cast<size_t>(set & (set - 1)) * forms];
    int64_t *sum = &sums[static_cast<size_t>(set) * forms];
    for (int f = 0; f < forms; ++f)
      sum[f] = std::min(others[f] + offer[f], 8 * kMuch);
  }
  nothing.clear();
  for (const std::vector<int64_t> *offer : offers)
    nothing.push_back((*offer)[forms]);
  together.resize(sets);
  leastOf.resize(sets);
}

int64_t Sharing::Group::least(std::span<const int64_t> costs) {
  int sets = 1 << readers;
  for (int set = 1; set < sets; ++set) {
    const int64_t *sum = &sums[static_cast<size_t>(set) * forms];
    int64_t best = 8 * kMuch;
    for (int f = 0; f < forms; ++f)
      best = std::min(best, costs[f] + sum[f]);
    if (std::has_single_bit(static_cast<unsigned>(set)))
      best =
          std::min(best, nothing[std::countr_zero(static_cast<unsigned>(set))]);
    together[set] = best;
  }
  leastOf[0] = 0;
  for (int set = 1; set < sets; ++set) {
    int lowest = set & -set, rest = set ^ lowest;
    int64_t best = together[set];
    // The lowest reader takes its form with a part of the others.
    for (int part = (rest - 1) & rest; rest != 0; part = (part - 1) & rest) {
      best = std::min(best, together[lowest | part] + leastOf[rest ^ part]);
      if (part == 0)
        break;
    }
    leastOf[set] = best;
  }
  return leastOf[sets - 1];
}

void Sharing::Group::lower(int reader, int64_t extra,
                           std::span<const int64_t> costs,
                           std::vector<int64_t> &marginals) const {
  int all = (1 << readers) - 1;
  for (int set = 1; set <= all; ++set) {
    if (!(set >> reader & 1))
      continue;
    const int64_t *sum = &sums[static_cast<size_t>(set) * forms];
    int64_t others = leastOf[all ^ set] + extra;
    for (int f = 0; f < forms; ++f)
      marginals[f] = std::min(marginals[f], costs[f] + sum[f] + others);
  }
  marginals[forms] = std::min(
      marginals[forms], nothing[reader] + leastOf[all ^ (1 << reader)] + extra);
}

std::vector<int64_t> Sharing::partsOf(std::span<const int64_t> costs,
                                      int count) {
  std::vector<int64_t> parts(costs.begin(), costs.end());
  for (int64_t &part : parts)
    if (part < kMuch)
      part /= std::max(count, 1);
  return parts;
}

void Sharing::set(std::span<const std::vector<int64_t> *const> offers,
                  int forms) {
  int readers = static_cast<int>(offers.size());
  count = groupsOf(readers);
  if (static_cast<size_t>(count) > groups.size())
    groups.resize(count);
  for (int g = 0; g < count; ++g) {
    int first = firstOf(g, readers), last = firstOf(g + 1, readers);
    groups[g].set(offers.subspan(first, last - first), forms);
  }
}

int64_t Sharing::least(std::span<const int64_t> costs) {
  std::vector<int64_t> parts = partsOf(costs, count);
  int64_t total = 0;
  for (int g = 0; g < count; ++g)
    total += groups[g].least(parts);
  return total;
}

} // namespace npu
