// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches for an order of buffers for first fit: several orders are tried, and
// the best is improved by placing buffers that reach the peak earlier than
// buffers below them. All orders use the same rule of placing, so that only
// orders need to be found.

#include "FirstFit.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

namespace npu {
namespace {

/// The most conflicting pairs; beyond them only orders of time are tried.
constexpr int64_t kMaxConflicts = int64_t{1} << 23;
/// The most orders that improvement tries, and the most buffers that it
/// compares in all.
constexpr int kMaxTries = 20000;
constexpr int64_t kMaxWork = int64_t{1} << 25;

/// Buffers in which each chain of buffers that replace one another is one
/// buffer.
struct Merged {
  std::vector<Buffer> buffers;
  /// For each buffer its number in `buffers`.
  std::vector<int> number;
  std::vector<int> replaced;
};

/// Merges buffers that may replace others with these; with offsets, only those
/// that lie at the same place.
Merged mergeReplaced(std::span<const Buffer> buffers,
                     const std::vector<int64_t> *offsets) {
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](int i) { return std::pair(buffers[i].first, i); });
  Merged merged{{},
                std::vector<int>(buffers.size(), -1),
                std::vector<int>(buffers.size(), -1)};
  std::vector<bool> isReplaced(buffers.size());
  for (int i : order) {
    const Buffer &buffer = buffers[i];
    auto other = std::ranges::find_if(buffer.mayReplace, [&](int other) {
      return !isReplaced[other] &&
             (!offsets || (*offsets)[other] == (*offsets)[i]);
    });
    if (other == buffer.mayReplace.end()) {
      merged.number[i] = static_cast<int>(merged.buffers.size());
      merged.buffers.push_back(buffer);
      continue;
    }
    isReplaced[*other] = true;
    merged.replaced[i] = *other;
    merged.number[i] = merged.number[*other];
    Buffer &whole = merged.buffers[merged.number[i]];
    whole.last = buffer.last;
    whole.alignment = std::max(whole.alignment, buffer.alignment);
  }
  return merged;
}

/// The buffers with steps counted backwards.
std::vector<Buffer> reversed(std::span<const Buffer> buffers) {
  std::vector<Buffer> result(buffers.begin(), buffers.end());
  for (Buffer &buffer : result)
    buffer = {buffer.bytes, buffer.alignment, ~buffer.last, ~buffer.first, {}};
  return result;
}

class Search {
public:
  explicit Search(std::span<const Buffer> buffers, int64_t bound)
      : buffers(buffers), bound(bound) {}

  void byTime() {
    std::vector<int64_t> found;
    keep(placeByTime(buffers, found), found);
    if (!done())
      keep(placeByTime(reversed(buffers), found), found);
  }

  void byOrders();

  bool done() const { return peak == bound; }

  int64_t peak = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> offsets;

private:
  bool keep(int64_t found, std::vector<int64_t> &foundOffsets) {
    if (found >= peak)
      return false;
    peak = found;
    offsets = foundOffsets;
    return true;
  }
  template <typename Key>
  void tryLargest(FirstFit &fit, Key key);
  void improve(FirstFit &fit);
  bool change(const FirstFit &fit, std::vector<int> &order);

  std::span<const Buffer> buffers;
  int64_t bound;
  /// The current state of the improvement.
  std::vector<int64_t> current;
  int64_t currentPeak = 0;
  /// The same numbers every time, for the same plan every time.
  // NOLINTNEXTLINE(bugprone-random-generator-seed)
  std::minstd_rand random{1};
};

/// Tries the order of decreasing `key`, then of decreasing bytes, then of the
/// numbers.
template <typename Key>
void Search::tryLargest(FirstFit &fit, Key key) {
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

void Search::byOrders() {
  FirstFit fit(buffers);
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
  if (!done())
    improve(fit);
}

/// Changes an order: moves a buffer that reaches the peak, or one beside it,
/// before a buffer that lay in its way. Returns false where no buffer can be
/// moved.
bool Search::change(const FirstFit &fit, std::vector<int> &order) {
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

void Search::improve(FirstFit &fit) {
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

} // namespace

BufferPlan packBuffers(std::span<const Buffer> buffers) {
  Merged merged = mergeReplaced(buffers, nullptr);
  Search search(merged.buffers, mostInUse(merged.buffers).bytes);
  search.byTime();
  if (!search.done() && countConflicts(merged.buffers) <= kMaxConflicts)
    search.byOrders();
  std::vector<int64_t> offsets;
  offsets.reserve(merged.number.size());
  for (int number : merged.number)
    offsets.push_back(search.offsets[number]);
  return describePlan(buffers, std::move(offsets));
}

BufferPlan describePlan(std::span<const Buffer> buffers,
                        std::vector<int64_t> offsets) {
  BufferPlan plan;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes)
      plan.peak = std::max(plan.peak, offsets[i] + buffers[i].bytes);
  Merged merged = mergeReplaced(buffers, &offsets);
  MostInUse most = mostInUse(merged.buffers);
  plan.bound = most.bytes;
  plan.boundStep = most.step;
  plan.replaced = std::move(merged.replaced);
  plan.offsets = std::move(offsets);
  return plan;
}

} // namespace npu
