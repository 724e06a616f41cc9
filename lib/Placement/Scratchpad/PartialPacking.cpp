// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PartialPacking.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npu {

Sections::Sections(std::span<const Buffer> buffers)
    : firsts(buffers.size()), ends(buffers.size()), starts(buffers.size()) {
  std::vector<int> byEnd(buffers.size());
  std::iota(starts.begin(), starts.end(), 0);
  std::iota(byEnd.begin(), byEnd.end(), 0);
  std::ranges::sort(starts, {},
                    [&](int i) { return std::pair(buffers[i].first, i); });
  std::ranges::sort(byEnd, {},
                    [&](int i) { return std::pair(buffers[i].last, i); });
  // A section closes where a buffer begins after another has ended: what is in
  // use grows up to there, and shrinks before it grows again.
  int section = 0;
  auto ending = byEnd.begin();
  startBegins.push_back(0);
  for (size_t i = 0; i < starts.size(); ++i) {
    int next = starts[i];
    if (buffers[*ending].last < buffers[next].first) {
      ++section;
      startBegins.push_back(static_cast<int>(i));
      for (; buffers[*ending].last < buffers[next].first; ++ending)
        ends[*ending] = section;
    }
    firsts[next] = section;
  }
  for (; ending != byEnd.end(); ++ending)
    ends[*ending] = section + 1;
  if (!buffers.empty())
    startBegins.push_back(static_cast<int>(starts.size()));
}

int64_t Sections::uses() const {
  int64_t sum = 0;
  for (size_t i = 0; i < firsts.size(); ++i)
    sum += ends[i] - firsts[i];
  return sum;
}

namespace {

int64_t roundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & -alignment;
}

} // namespace

PartialPacking::PartialPacking(std::span<const Buffer> buffers,
                               const Sections &sections)
    : buffers(buffers), sections(sections), begins(sections.count() + 1),
      floors(sections.count()), remaining(sections.count()),
      lowests(buffers.size()), placed(buffers.size()),
      failed(sections.count(), 1), choices(sections.count(), -1),
      dirty(sections.count()) {
  if (!buffers.empty())
    granule = std::ranges::min(buffers, {}, &Buffer::alignment).alignment;
  inUse.reserve(sections.uses());
  std::vector<int> current;
  for (int section = 0; section < sections.count(); ++section) {
    std::erase_if(current,
                  [&](int buffer) { return !sections.has(section, buffer); });
    std::ranges::copy(sections.starting(section), std::back_inserter(current));
    inUse.insert(inUse.end(), current.begin(), current.end());
    begins[section + 1] = inUse.size();
  }
  for (const Buffer &buffer : buffers)
    rounded.push_back(roundUp(buffer.bytes, granule));
  for (int section = 0; section < sections.count(); ++section)
    for (int buffer : buffersOf(section))
      remaining[section] += rounded[buffer];
}

bool PartialPacking::begin(int64_t bytes) {
  takeBack(0);
  if (bytes != capacity)
    next = std::numeric_limits<int64_t>::max();
  capacity = bytes;
  roundedCapacity = roundUp(bytes, granule);
  std::ranges::fill(choices, -1);
  std::ranges::fill(dirty, 1);
  dirtyBegin = 0;
  dirtyEnd = sections.count();
  return propagate();
}

void PartialPacking::takeBack(size_t mark) {
  for (; trail.size() > mark; trail.pop_back()) {
    const Change &change = trail.back();
    int i = change.index;
    switch (change.what) {
    case Change::Floor:
      floors[i] = change.before;
      choices[i] = -1;
      break;
    case Change::Lowest:
      lowests[i] = change.before;
      forgetChoices(i);
      break;
    case Change::Placed:
      placed[i] = 0;
      for (int s = sections.first(i); s < sections.end(i); ++s)
        remaining[s] += rounded[i];
      forgetChoices(i);
    }
  }
}

void PartialPacking::forgetChoices(int buffer) {
  std::fill(choices.begin() + sections.first(buffer),
            choices.begin() + sections.end(buffer), -1);
}

int PartialPacking::countChoices(int section) {
  int &count = choices[section];
  if (count >= 0)
    return count;
  count = slack(section) > 0;
  steps += static_cast<int64_t>(buffersOf(section).size());
  for (int buffer : buffersOf(section))
    count += !placed[buffer] && lowests[buffer] == floors[section];
  return count;
}

void PartialPacking::needs(int64_t bytes) {
  // Rounding may have added less than a granule.
  next = std::min(next, std::max(bytes - granule, capacity) + 1);
}

bool PartialPacking::fail(int section) {
  ++failed[section];
  return false;
}

void PartialPacking::setFloor(int section, int64_t offset) {
  trail.push_back({Change::Floor, section, floors[section]});
  floors[section] = offset;
  choices[section] = -1;
}

void PartialPacking::raise(int buffer, int64_t offset) {
  offset = roundUp(offset, buffers[buffer].alignment);
  if (offset <= lowests[buffer])
    return;
  trail.push_back({Change::Lowest, buffer, lowests[buffer]});
  lowests[buffer] = offset;
  markDirty(buffer);
}

void PartialPacking::markDirty(int buffer) {
  int first = sections.first(buffer);
  int end = sections.end(buffer);
  std::fill(dirty.begin() + first, dirty.begin() + end, 1);
  dirtyBegin = std::min(dirtyBegin, first);
  dirtyEnd = std::max(dirtyEnd, end);
  forgetChoices(buffer);
  steps += end - first;
}

bool PartialPacking::place(int buffer) {
  int64_t top = lowests[buffer] + rounded[buffer];
  trail.push_back({Change::Placed, buffer, 0});
  placed[buffer] = 1;
  bool keeps = true;
  for (int s = sections.first(buffer); s < sections.end(buffer); ++s) {
    remaining[s] -= rounded[buffer];
    setFloor(s, top);
    if (slack(s) < 0) {
      needs(top + remaining[s]);
      keeps = fail(s);
    }
  }
  if (!keeps)
    return false;
  markDirty(buffer);
  for (int s = sections.first(buffer); s < sections.end(buffer); ++s) {
    steps += static_cast<int64_t>(buffersOf(s).size());
    for (int other : buffersOf(s))
      if (!placed[other])
        raise(other, top);
  }
  return propagate();
}

bool PartialPacking::leave(int section, int64_t offset) {
  setFloor(section, offset);
  steps += static_cast<int64_t>(buffersOf(section).size());
  for (int other : buffersOf(section))
    if (!placed[other])
      raise(other, offset);
  return propagate();
}

bool PartialPacking::propagate() {
  bool keeps = true;
  while (keeps && dirtyBegin < dirtyEnd) {
    int begin = std::exchange(dirtyBegin, sections.count());
    int end = std::exchange(dirtyEnd, 0);
    for (int s = begin; s < end; ++s)
      if (std::exchange(dirty[s], 0) && keeps)
        keeps = propagate(s);
  }
  std::fill(dirty.begin() + std::min(dirtyBegin, dirtyEnd),
            dirty.begin() + dirtyEnd, 0);
  dirtyBegin = sections.count();
  dirtyEnd = 0;
  return keeps;
}

bool PartialPacking::propagate(int section) {
  steps += static_cast<int64_t>(buffersOf(section).size());
  sortByLowest(section);
  return keepsBuffers(section) && keepsOrder(section);
}

/// The order is nearly right from the last time, and any order will do where a
/// change is taken back.
void PartialPacking::sortByLowest(int section) {
  auto begin = inUse.begin() + static_cast<int64_t>(begins[section]);
  auto end = inUse.begin() + static_cast<int64_t>(begins[section + 1]);
  for (auto it = begin; it != end; ++it) {
    int buffer = *it;
    auto to = it;
    for (; to != begin && lowests[*std::prev(to)] > lowests[buffer]; --to)
      *to = *std::prev(to);
    *to = buffer;
  }
}

/// Each buffer ends within the capacity, and all of the section do when each
/// begins as low as it can: what one machine needs for jobs with release times.
bool PartialPacking::keepsBuffers(int section) {
  int64_t end = floors[section];
  int64_t newFloor = -1;
  for (int buffer : buffersOf(section)) {
    if (placed[buffer])
      continue;
    if (newFloor < 0)
      newFloor = lowests[buffer];
    if (lowests[buffer] + buffers[buffer].bytes > capacity) {
      next = std::min(next, lowests[buffer] + buffers[buffer].bytes);
      return fail(section);
    }
    end = std::max(end, lowests[buffer]) + rounded[buffer];
  }
  if (end > roundedCapacity) {
    needs(end);
    return fail(section);
  }
  if (newFloor > floors[section])
    setFloor(section, newFloor);
  return true;
}

/// A buffer that begins too high for all others of the section to lie above it
/// begins above at least one of those that can be the lowest.
bool PartialPacking::keepsOrder(int section) {
  int64_t highestFirst = roundedCapacity - remaining[section];
  int64_t leastTop = std::numeric_limits<int64_t>::max();
  for (int buffer : buffersOf(section))
    if (!placed[buffer] && lowests[buffer] <= highestFirst)
      leastTop = std::min(leastTop, lowests[buffer] + rounded[buffer]);
  for (int buffer : buffersOf(section)) {
    if (placed[buffer] || lowests[buffer] <= highestFirst ||
        lowests[buffer] >= leastTop)
      continue;
    needs(lowests[buffer] + remaining[section]);
    raise(buffer, leastTop);
  }
  return true;
}

} // namespace npu
