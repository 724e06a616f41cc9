// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs in steps, each of which costs more than the one before and is taken
// only where the peak is still above the lower bound: first fit in orders of
// time, in other orders, an exact search at the lower bound, improved orders,
// and exact searches between the bounds.

#include "OrderSearch.h"
#include "PackWithin.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npu {
namespace {

/// The most conflicting pairs; beyond them only orders of time are tried.
constexpr int64_t kMaxConflicts = int64_t{1} << 23;
/// The most pairs of a section and a buffer that the exact search looks at.
constexpr int64_t kMaxUses = int64_t{1} << 23;

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

/// Narrows the gap between the best plan and the least peak by exact searches.
class ExactSearch {
public:
  /// Precondition: no buffer has 0 bytes.
  ExactSearch(std::span<const Buffer> buffers, const PackingGoal &goal,
              int64_t bound, OrderSearch &best)
      : capacity(goal.capacity), workLimit(goal.work), best(best),
        within(buffers), least(bound) {}

  /// No plan has a smaller peak.
  int64_t leastPeak() const { return std::min(least, best.peak); }

  /// Searches at the least peak that has not been refuted, or at the capacity,
  /// with a quarter of the work.
  void atBound() {
    while (!done())
      if (attempt(std::max(least, capacity), workLimit / 4) ==
          PackWithin::Outcome::GaveUp)
        return;
  }

  /// Halves the distance between the best plan and what was given up, with the
  /// rest of the work.
  void between() {
    int64_t low = std::max(least, capacity);
    int64_t attempts = workLimit / 8;
    while (!done() && best.peak - low > best.peak / kFineness + 1) {
      int64_t middle = low + (best.peak - low) / 2;
      int64_t limit = std::min(workLimit, within.work() + attempts);
      if (limit <= within.work())
        return;
      if (attempt(middle, limit) != PackWithin::Outcome::Fits)
        low = std::max(middle, least);
    }
  }

private:
  /// The last part of the peak that searching between the bounds does not
  /// divide any further.
  static constexpr int64_t kFineness = 1024;

  bool done() const { return best.done() || best.peak <= least; }

  PackWithin::Outcome attempt(int64_t bytes, int64_t limit) {
    PackWithin::Outcome outcome = within.search(bytes, limit);
    if (outcome == PackWithin::Outcome::Fits)
      best.keep(within.peak(), within.offsets());
    if (outcome == PackWithin::Outcome::DoesNotFit)
      least = within.leastPeak();
    return outcome;
  }

  int64_t capacity;
  int64_t workLimit;
  OrderSearch &best;
  PackWithin within;
  int64_t least;
};

/// Searches while the best plan is above the goal. Returns a peak that no plan
/// goes below.
int64_t searchPlan(std::span<const Buffer> buffers, const PackingGoal &goal,
                   OrderSearch &best) {
  int64_t bound = mostInUse(buffers).bytes;
  best.byTime();
  if (best.done() || countConflicts(buffers) > kMaxConflicts)
    return bound;
  FirstFit fit(buffers);
  best.byOrders(fit);
  if (best.done())
    return bound;
  Sections sections(buffers);
  if (sections.uses() > kMaxUses) {
    best.improve(fit);
    return bound;
  }
  ExactSearch exact(buffers, goal, bound, best);
  exact.atBound();
  best.improve(fit);
  exact.between();
  return exact.leastPeak();
}

} // namespace

BufferPlan packBuffers(std::span<const Buffer> buffers,
                       const PackingGoal &goal) {
  Merged merged = mergeReplaced(buffers, nullptr);
  // Buffers of no bytes are in nobody's way, and lie at 0.
  std::vector<Buffer> packed;
  std::vector<int> packedNumber;
  for (const Buffer &buffer : merged.buffers) {
    packedNumber.push_back(buffer.bytes ? static_cast<int>(packed.size()) : -1);
    if (buffer.bytes)
      packed.push_back(buffer);
  }
  OrderSearch best(packed, std::max(mostInUse(packed).bytes, goal.capacity));
  int64_t least = packed.empty() ? 0 : searchPlan(packed, goal, best);
  std::vector<int64_t> offsets;
  offsets.reserve(merged.number.size());
  for (int number : merged.number) {
    int found = packedNumber[number];
    offsets.push_back(found < 0 ? 0 : best.offsets[found]);
  }
  BufferPlan plan = describePlan(buffers, std::move(offsets));
  plan.least = std::max(plan.bound, least);
  return plan;
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
  plan.least = most.bytes;
  plan.boundStep = most.step;
  plan.replaced = std::move(merged.replaced);
  plan.offsets = std::move(offsets);
  return plan;
}

std::vector<Buffer> placedBuffers(std::span<const Buffer> buffers,
                                  const BufferPlan &plan,
                                  std::vector<int> &numbers) {
  Merged merged = mergeReplaced(buffers, &plan.offsets);
  numbers.assign(merged.buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i)
    if (merged.replaced[i] < 0)
      numbers[merged.number[i]] = static_cast<int>(i);
  return std::move(merged.buffers);
}

} // namespace npu
