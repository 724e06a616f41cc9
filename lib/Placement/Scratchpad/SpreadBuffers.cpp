// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Scratchpad/SpreadBuffers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace npu {
namespace {

/// No step: nothing has been in a place yet.
constexpr int64_t kNever = -1;

/// When each byte of a scratchpad was, or will have been, in use last.
class LastUses {
public:
  LastUses() { from[0] = kNever; }

  /// The last step at which any byte of the range is in use.
  int64_t latestIn(int64_t begin, int64_t end) const {
    int64_t latest = kNever;
    for (auto it = std::prev(from.upper_bound(begin));
         it != from.end() && it->first < end; ++it)
      latest = std::max(latest, it->second);
    return latest;
  }

  /// The bytes of the range are in use until this step.
  void use(int64_t begin, int64_t end, int64_t last) {
    auto after = std::prev(from.upper_bound(end));
    int64_t following = after->second;
    from.erase(from.lower_bound(begin), from.upper_bound(end));
    from[begin] = last;
    from[end] = following;
  }

  /// Where the step changes.
  const std::map<int64_t, int64_t> &changes() const { return from; }

private:
  std::map<int64_t, int64_t> from;
};

class Spreader {
public:
  Spreader(std::span<const Buffer> buffers, std::span<const int64_t> firstPart,
           int64_t capacity, std::vector<int64_t> &offsets)
      : buffers(buffers), firstPart(firstPart), capacity(capacity),
        offsets(offsets), order(buffers.size()) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [&](int i) { return buffers[i].first; });
  }

  void run() {
    for (size_t position = 0; position < order.size(); ++position) {
      int buffer = order[position];
      if (buffers[buffer].bytes > 0)
        move(buffer, position);
    }
  }

private:
  void move(int number, size_t position) {
    const Buffer &buffer = buffers[number];
    // Those that begin later are still where the plan had them.
    later.clear();
    for (size_t i = position + 1;
         i < order.size() && buffers[order[i]].first <= buffer.last; ++i)
      if (buffers[order[i]].bytes > 0)
        later.push_back(order[i]);
    int64_t best = offsets[number];
    auto cost = costOf(number, best);
    auto consider = [&](int64_t offset) {
      offset =
          (offset + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
      if (offset + buffer.bytes > capacity || clashes(number, offset))
        return;
      auto other = costOf(number, offset);
      if (other < cost)
        std::tie(best, cost) = std::tie(offset, other);
    };
    auto considerBelow = [&](int64_t end) {
      if (end >= buffer.bytes)
        consider((end - buffer.bytes) / buffer.alignment * buffer.alignment);
    };
    considerBelow(capacity);
    for (auto [offset, last] : uses.changes()) {
      consider(offset);
      considerBelow(offset);
    }
    for (int other : later)
      consider(offsets[other] + buffers[other].bytes);
    offsets[number] = best;
    uses.use(best, best + buffer.bytes, buffer.last);
  }

  /// Whether one in use at the same time has bytes there.
  bool clashes(int number, int64_t offset) const {
    const Buffer &buffer = buffers[number];
    int64_t end = offset + buffer.bytes;
    return uses.latestIn(offset, end) >= buffer.first ||
           std::ranges::any_of(later, [&](int other) {
             return offsets[other] < end &&
                    offset < offsets[other] + buffers[other].bytes;
           });
  }

  /// Until when the place of the first part, and all of the place, is in use
  /// before: less is better. Of equal ones, buffers with slots take the lowest
  /// and others the highest, so that there is room for all slots of one.
  std::tuple<int64_t, int64_t, int64_t> costOf(int number,
                                               int64_t offset) const {
    bool rotates = firstPart[number] < buffers[number].bytes;
    return {uses.latestIn(offset, offset + firstPart[number]),
            uses.latestIn(offset, offset + buffers[number].bytes),
            rotates ? offset : -offset};
  }

  std::span<const Buffer> buffers;
  std::span<const int64_t> firstPart;
  int64_t capacity;
  std::vector<int64_t> &offsets;
  std::vector<int> order;
  std::vector<int> later;
  LastUses uses;
};

} // namespace

BufferPlan spreadBuffers(std::span<const Buffer> buffers,
                         const BufferPlan &plan, int64_t capacity,
                         std::span<const int64_t> firstPart) {
  std::vector<int> numbers;
  std::vector<Buffer> placed = placedBuffers(buffers, plan, numbers);
  std::vector<int64_t> offsets, first;
  for (int number : numbers) {
    offsets.push_back(plan.offsets[number]);
    first.push_back(firstPart[number]);
  }
  Spreader(placed, first, capacity, offsets).run();
  std::vector<int64_t> all = plan.offsets;
  for (size_t i = 0; i < numbers.size(); ++i)
    all[numbers[i]] = offsets[i];
  // What replaces another lies where that one lies.
  for (size_t i = 0; i < buffers.size(); ++i) {
    size_t begin = i;
    while (plan.replaced[begin] >= 0)
      begin = plan.replaced[begin];
    all[i] = all[begin];
  }
  BufferPlan spread = describePlan(buffers, std::move(all));
  spread.least = plan.least;
  return spread;
}

} // namespace npu
