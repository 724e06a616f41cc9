// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstFit.h"

#include <algorithm>
#include <numeric>

namespace npu {
namespace {

std::vector<int> orderOfFirst(std::span<const Buffer> buffers) {
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](int i) { return std::pair(buffers[i].first, i); });
  return order;
}

/// Calls `visit(buffer, alive)` in the order of `first`, where `alive` has the
/// earlier buffers that are still in use.
template <typename Visit>
void sweep(std::span<const Buffer> buffers, Visit visit) {
  std::vector<int> alive;
  for (int next : orderOfFirst(buffers)) {
    std::erase_if(alive, [&](int other) {
      return buffers[other].last < buffers[next].first;
    });
    visit(next, alive);
    alive.push_back(next);
  }
}

/// The lowest free offset for `buffer` beside the intervals `taken`, which are
/// sorted.
int64_t lowest(const Buffer &buffer,
               std::vector<std::pair<int64_t, int64_t>> &taken) {
  std::ranges::sort(taken);
  int64_t offset = 0;
  for (auto [begin, end] : taken) {
    if (offset + buffer.bytes <= begin)
      break;
    if (end > offset)
      offset = (end + buffer.alignment - 1) & -buffer.alignment;
  }
  return offset;
}

} // namespace

int64_t countConflicts(std::span<const Buffer> buffers) {
  int64_t pairs = 0;
  std::vector<int64_t> ends;
  for (const Buffer &buffer : buffers)
    ends.push_back(buffer.last);
  std::ranges::sort(ends);
  int64_t begun = 0;
  auto end = ends.begin();
  for (int next : orderOfFirst(buffers)) {
    end = std::lower_bound(end, ends.end(), buffers[next].first);
    pairs += begun++ - (end - ends.begin());
  }
  return pairs;
}

int64_t placeByTime(std::span<const Buffer> buffers,
                    std::vector<int64_t> &offsets) {
  offsets.assign(buffers.size(), 0);
  int64_t peak = 0;
  std::vector<std::pair<int64_t, int64_t>> taken;
  sweep(buffers, [&](int next, const std::vector<int> &alive) {
    taken.clear();
    for (int other : alive)
      taken.emplace_back(offsets[other], offsets[other] + buffers[other].bytes);
    offsets[next] = lowest(buffers[next], taken);
    peak = std::max(peak, offsets[next] + buffers[next].bytes);
  });
  return peak;
}

FirstFit::FirstFit(std::span<const Buffer> buffers) : buffers(buffers) {
  std::vector<std::pair<int, int>> pairs;
  begins.assign(buffers.size() + 1, 0);
  sweep(buffers, [&](int next, const std::vector<int> &alive) {
    for (int other : alive) {
      pairs.emplace_back(next, other);
      ++begins[next + 1];
      ++begins[other + 1];
    }
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  neighbours.resize(begins.back());
  std::vector<size_t> at(begins.begin(), begins.end() - 1);
  for (auto [a, b] : pairs) {
    neighbours[at[a]++] = b;
    neighbours[at[b]++] = a;
  }
}

int64_t FirstFit::place(std::span<const int> order,
                        std::vector<int64_t> &offsets, int64_t limit) {
  offsets.assign(buffers.size(), -1);
  int64_t peak = 0;
  for (int next : order) {
    taken.clear();
    for (int other : conflicts(next))
      if (offsets[other] >= 0)
        taken.emplace_back(offsets[other],
                           offsets[other] + buffers[other].bytes);
    steps += conflicts(next).size() + 1;
    offsets[next] = lowest(buffers[next], taken);
    peak = std::max(peak, offsets[next] + buffers[next].bytes);
    if (peak > limit)
      return std::numeric_limits<int64_t>::max();
  }
  return peak;
}

} // namespace npu
