// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the buffers that packing is given and the plans that it gives, and
// computes the lower bound of a plan.

#include "npu/Placement/Scratchpad/PackBuffers.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace npu {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 60;

std::string named(size_t buffer) {
  return "buffer " + std::to_string(buffer) + ": ";
}

int64_t roundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & -alignment;
}

/// The numbers of the buffers, sorted by the step that `time` gives.
template <typename Time>
std::vector<int> sortedBy(std::span<const Buffer> buffers, Time time) {
  std::vector<int> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](int i) { return std::pair(buffers[i].*time, i); });
  return order;
}

Result<> checkReplaced(std::span<const Buffer> buffers, size_t number) {
  const Buffer &buffer = buffers[number];
  for (int other : buffer.mayReplace) {
    if (other < 0 || static_cast<size_t>(other) >= buffers.size())
      return Error{named(number) + "expected a buffer to replace, got number " +
                   std::to_string(other)};
    const Buffer &replaced = buffers[other];
    if (replaced.bytes != buffer.bytes || replaced.last != buffer.first ||
        replaced.first >= buffer.first)
      return Error{named(number) +
                   "expected a buffer of the same bytes that begins earlier "
                   "and ends where this one begins, got buffer " +
                   std::to_string(other)};
  }
  return Success();
}

/// The bytes that are in use at the current step.
class InUse {
public:
  explicit InUse(int64_t alignment) : alignment(alignment) {}
  void add(const Buffer &buffer) {
    rounded += roundUp(buffer.bytes, alignment);
    spare.insert(roundUp(buffer.bytes, alignment) - buffer.bytes);
  }
  void remove(const Buffer &buffer) {
    rounded -= roundUp(buffer.bytes, alignment);
    spare.erase(spare.find(roundUp(buffer.bytes, alignment) - buffer.bytes));
  }
  int64_t bytes() const {
    return spare.empty() ? 0 : rounded - *spare.rbegin();
  }

private:
  int64_t alignment;
  int64_t rounded = 0;
  std::multiset<int64_t> spare;
};

} // namespace

Result<> checkBuffers(std::span<const Buffer> buffers) {
  int64_t total = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = buffers[i];
    if (buffer.bytes < 0)
      return Error{named(i) + "expected no negative bytes, got " +
                   std::to_string(buffer.bytes)};
    if (buffer.alignment < 1 || buffer.alignment > kMaxBytes ||
        !std::has_single_bit(static_cast<uint64_t>(buffer.alignment)))
      return Error{named(i) + "expected a power of two as alignment, got " +
                   std::to_string(buffer.alignment)};
    if (buffer.first > buffer.last)
      return Error{named(i) + "expected a first step before the last, got " +
                   std::to_string(buffer.first) + " and " +
                   std::to_string(buffer.last)};
    // The buffer after this one may have to begin at a multiple of its
    // alignment.
    if (buffer.bytes > kMaxBytes || buffer.alignment > kMaxBytes - total ||
        buffer.bytes > kMaxBytes - total - buffer.alignment)
      return Error{named(i) + "expected at most " + std::to_string(kMaxBytes) +
                   " bytes in all, got more"};
    total += buffer.bytes + buffer.alignment;
    if (Result<> error = checkReplaced(buffers, i); !error)
      return error;
  }
  return Success();
}

MostInUse mostInUse(std::span<const Buffer> buffers) {
  int64_t alignment = kMaxBytes;
  for (const Buffer &buffer : buffers)
    if (buffer.bytes)
      alignment = std::min(alignment, buffer.alignment);
  InUse inUse(alignment);
  MostInUse most;
  if (alignment == kMaxBytes)
    return most;
  std::vector<int> ends = sortedBy(buffers, &Buffer::last);
  auto end = ends.begin();
  for (int next : sortedBy(buffers, &Buffer::first)) {
    if (buffers[next].bytes == 0)
      continue;
    for (; buffers[*end].last < buffers[next].first; ++end)
      if (buffers[*end].bytes)
        inUse.remove(buffers[*end]);
    inUse.add(buffers[next]);
    if (inUse.bytes() > most.bytes)
      most = {inUse.bytes(), buffers[next].first};
  }
  int64_t begin = most.step;
  most.step = std::numeric_limits<int64_t>::max();
  for (const Buffer &buffer : buffers)
    if (buffer.bytes && buffer.first <= begin && begin <= buffer.last)
      most.step = std::min(most.step, buffer.last);
  return most;
}

Result<> checkPlan(std::span<const Buffer> buffers, const BufferPlan &plan) {
  if (plan.offsets.size() != buffers.size())
    return Error{"expected " + std::to_string(buffers.size()) +
                 " offsets, got " + std::to_string(plan.offsets.size())};
  int64_t peak = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t offset = plan.offsets[i];
    if (offset < 0 || offset % buffers[i].alignment)
      return Error{named(i) + "expected a multiple of " +
                   std::to_string(buffers[i].alignment) + " as offset, got " +
                   std::to_string(offset)};
    peak = std::max(peak, buffers[i].bytes ? offset + buffers[i].bytes : 0);
  }
  if (peak != plan.peak)
    return Error{"expected a peak of " + std::to_string(peak) + " bytes, got " +
                 std::to_string(plan.peak)};

  // The buffers in use, by offset. They lie pairwise apart, so that a new one
  // needs to be compared with its two neighbours only.
  std::map<int64_t, int> inUse;
  auto endOf = [&](int buffer) {
    return plan.offsets[buffer] + buffers[buffer].bytes;
  };
  auto leave = [&](int buffer) {
    auto found = inUse.find(plan.offsets[buffer]);
    if (found != inUse.end() && found->second == buffer)
      inUse.erase(found);
  };
  std::vector<int> ends = sortedBy(buffers, &Buffer::last);
  auto end = ends.begin();
  for (int next : sortedBy(buffers, &Buffer::first)) {
    const Buffer &buffer = buffers[next];
    if (buffer.bytes == 0)
      continue;
    for (; buffers[*end].last < buffer.first; ++end)
      leave(*end);
    for (int other : buffer.mayReplace)
      if (plan.offsets[other] == plan.offsets[next])
        leave(other);
    auto above = inUse.lower_bound(plan.offsets[next]);
    int clash = -1;
    if (above != inUse.end() && above->first < endOf(next))
      clash = above->second;
    if (above != inUse.begin() &&
        endOf(std::prev(above)->second) > plan.offsets[next])
      clash = std::prev(above)->second;
    if (clash >= 0)
      return Error{named(next) + "expected bytes " +
                   std::to_string(plan.offsets[next]) + ":" +
                   std::to_string(endOf(next)) + " to be free, got buffer " +
                   std::to_string(clash) + " there"};
    inUse.emplace(plan.offsets[next], next);
  }
  return Success();
}

} // namespace npu
