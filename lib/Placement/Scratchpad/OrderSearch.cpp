// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OrderSearch.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npu {
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
