// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sharing.h"

#include <algorithm>
#include <bit>

namespace npu {

void Sharing::Group::set(std::span<const std::vector<int64_t> *const> duals,
                         int numLayouts) {
  readers = static_cast<int>(duals.size());
  layouts = numLayouts;
  int sets = 1 << readers;
  sums.assign(static_cast<size_t>(sets) * layouts, 0);
  for (int set = 1; set < sets; ++set) {
    int reader = std::countr_zero(static_cast<unsigned>(set));
    const std::vector<int64_t> &dual = *duals[reader];
    const int64_t *others =
        &sums[static_cast<size_t>(set & (set - 1)) * layouts];
    int64_t *sum = &sums[static_cast<size_t>(set) * layouts];
    for (int f = 0; f < layouts; ++f)
      sum[f] = std::min(others[f] + dual[f], 8 * kInfinity);
  }
  nothing.clear();
  for (const std::vector<int64_t> *dual : duals)
    nothing.push_back((*dual)[layouts]);
  together.resize(sets);
  leastOf.resize(sets);
  leastOf[0] = 0;
}

int64_t Sharing::Group::least(std::span<const int64_t> costs) {
  int sets = 1 << readers;
  for (int set = 1; set < sets; ++set) {
    const int64_t *sum = &sums[static_cast<size_t>(set) * layouts];
    int64_t best = 8 * kInfinity;
    for (int f = 0; f < layouts; ++f)
      best = std::min(best, costs[f] + sum[f]);
    if (std::has_single_bit(static_cast<unsigned>(set)))
      best =
          std::min(best, nothing[std::countr_zero(static_cast<unsigned>(set))]);
    together[set] = best;
  }
  for (int set = 1; set < sets; ++set) {
    int lowest = set & -set, rest = set ^ lowest;
    int64_t best = together[set];
    // The lowest reader shares its layout with a subset of the others.
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
    const int64_t *sum = &sums[static_cast<size_t>(set) * layouts];
    int64_t others = leastOf[all ^ set] + extra;
    for (int f = 0; f < layouts; ++f)
      marginals[f] = std::min(marginals[f], costs[f] + sum[f] + others);
  }
  marginals[layouts] =
      std::min(marginals[layouts],
               nothing[reader] + leastOf[all ^ (1 << reader)] + extra);
}

std::span<const int64_t> Sharing::partsOf(std::span<const int64_t> costs,
                                          int count,
                                          std::vector<int64_t> &parts) {
  if (count <= 1)
    return costs;
  parts.assign(costs.begin(), costs.end());
  for (int64_t &part : parts)
    if (part < kInfinity)
      part /= count;
  return parts;
}

void Sharing::set(std::span<const std::vector<int64_t> *const> duals,
                  int layouts) {
  int readers = static_cast<int>(duals.size());
  count = groupsOf(readers);
  if (static_cast<size_t>(count) > groups.size())
    groups.resize(count);
  for (int g = 0; g < count; ++g) {
    int first = firstOf(g, readers), last = firstOf(g + 1, readers);
    groups[g].set(duals.subspan(first, last - first), layouts);
  }
}

int64_t Sharing::least(std::span<const int64_t> costs) {
  std::span<const int64_t> ofEach = partsOf(costs, count, parts);
  int64_t total = 0;
  for (int g = 0; g < count; ++g)
    total += groups[g].least(ofEach);
  return total;
}

} // namespace npu
