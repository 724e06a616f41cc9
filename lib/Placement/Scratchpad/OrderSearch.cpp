// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OrderSearch.h"

#include <algorithm>
#include <numeric>
#include <tuple>

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

namespace {

/// The most orders that improvement tries, and the most buffers that it
/// compares in all.
constexpr int kMaxTries = 20000;
constexpr int64_t kMaxWork = int64_t{1} << 25;

/// The buffers with steps counted backwards.
std::vector<Buffer> reversed(std::span<const Buffer> buffers) {
  std::vector<Buffer> result(buffers.begin(), buffers.end());
  for (Buffer &buffer : result)
    buffer = {buffer.bytes, buffer.alignment, ~buffer.last, ~buffer.first, {}};
  return result;
}

} // namespace

bool OrderSearch::keep(int64_t foundPeak,
                       const std::vector<int64_t> &foundOffsets) {
  if (foundPeak >= peak)
    return false;
  peak = foundPeak;
  offsets = foundOffsets;
  return true;
}

void OrderSearch::byTime() {
  std::vector<int64_t> found;
  keep(placeByTime(buffers, found), found);
  if (!done())
    keep(placeByTime(reversed(buffers), found), found);
}

/// Tries the order of decreasing `key`, then of decreasing bytes, then of the
/// numbers.
template <typename Key>
void OrderSearch::tryLargest(FirstFit &fit, Key key) {
  if (done())
    return;
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::greater<>(), [&](int i) {
    return std::tuple(key(i), buffers[i].bytes, -i);
  });
  std::vector<int64_t> found;
  keep(fit.place(order, found), found);
}

void OrderSearch::byOrders(FirstFit &fit) {
  auto length = [&](int i) {
    return static_cast<double>(buffers[i].last - buffers[i].first + 1);
  };
  tryLargest(fit, [&](int i) { return buffers[i].bytes; });
  tryLargest(fit, length);
  tryLargest(fit, [&](int i) {
    return length(i) * static_cast<double>(buffers[i].bytes);
  });
  tryLargest(fit, [&](int i) {
    int64_t beside = buffers[i].bytes;
    for (int other : fit.conflicts(i))
      beside += buffers[other].bytes;
    return beside;
  });
}

/// Changes an order: moves a buffer that reaches the peak, or one beside it,
/// before a buffer that lay in its way. Returns false where no buffer can be
/// moved.
bool OrderSearch::change(const FirstFit &fit, std::vector<int> &order) {
  std::vector<int> highest;
  std::vector<int> position(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    position[order[i]] = static_cast<int>(i);
    if (current[i] + buffers[i].bytes == currentPeak)
      highest.push_back(static_cast<int>(i));
  }
  auto anyOf = [&](auto &&from) { return from[random() % from.size()]; };
  int mover = anyOf(highest);
  if (auto beside = fit.conflicts(mover); !beside.empty() && random() % 2)
    mover = anyOf(beside);
  std::vector<int> before;
  for (int other : fit.conflicts(mover))
    if (position[other] < position[mover])
      before.push_back(other);
  if (before.empty())
    return false;
  auto to = order.begin() + position[anyOf(before)];
  auto from = order.begin() + position[mover];
  if (random() % 2)
    std::iter_swap(from, to);
  else
    std::rotate(to, from, from + 1);
  return true;
}

void OrderSearch::improve(FirstFit &fit) {
  // The order of a plan's offsets gives that plan, or a better one.
  std::vector<int> best(buffers.size());
  std::iota(best.begin(), best.end(), 0);
  std::ranges::sort(best, {}, [&](int i) { return std::pair(offsets[i], i); });
  currentPeak = fit.place(best, current);
  keep(currentPeak, current);
  std::vector<int> order = best;
  std::vector<int64_t> found;
  for (int tries = 1; !done() && tries < kMaxTries && fit.work() < kMaxWork;
       ++tries) {
    // Accept a worse order at times, to leave local minima; the best order is
    // kept.
    bool anyStep = tries % 64 == 0;
    if (tries % 2048 == 0) {
      order = best;
      currentPeak = fit.place(order, current);
    }
    std::vector<int> changed = order;
    if (!change(fit, changed))
      continue;
    int64_t foundPeak = anyStep ? fit.place(changed, found)
                                : fit.place(changed, found, currentPeak);
    if (foundPeak > currentPeak && !anyStep)
      continue;
    order = std::move(changed);
    currentPeak = foundPeak;
    current = found;
    if (keep(currentPeak, current))
      best = order;
  }
}

} // namespace npu
