// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackWithin.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npu {
namespace {

/// The orders of preference, and the work on each of them before the next is
/// tried; when all have done that much, each may do a quarter more. Most
/// searches that succeed do so early, so that many short ones find more than
/// few long ones.
constexpr int kRules = 7;
constexpr int64_t kFirstWork = int64_t{1} << 20;
/// So much work for each pair of a buffer and a use in a section lets a search
/// that hardly ever goes back reach its end.
constexpr int64_t kDives = 2;

/// The most failed states that are remembered.
constexpr size_t kMaxFailed = size_t{1} << 20;

uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

/// Sums of two independent hashes, so that states that differ have equal keys
/// once in 2^128.
void PackWithin::Key::add(uint64_t what, uint64_t value) {
  low += mix(mix(what + 0x9e3779b97f4a7c15) + value);
  high += mix(mix(what + 0xd1b54a32d192ed03) ^ (value * 0x2545f4914f6cdd1d));
}

PackWithin::PackWithin(std::span<const Buffer> buffers)
    : buffers(buffers), sections(buffers), state(buffers, sections),
      order(buffers.size()), rank(buffers.size()) {
  std::iota(order.begin(), order.end(), 0);
}

PackWithin::Outcome PackWithin::search(int64_t capacity, int64_t workLimit) {
  failed.clear();
  int64_t dive = static_cast<int64_t>(buffers.size()) * sections.uses();
  int64_t work = std::max(kFirstWork, kDives * dive);
  for (int round = 0;; ++round, work += work / 4)
    for (int rule = 0; rule < kRules; ++rule) {
      if (!state.begin(capacity))
        return Outcome::DoesNotFit;
      orderBy(rule);
      prefersSeams = (round + rule) % 2 == 0;
      Outcome outcome = run(std::min(workLimit, state.steps + work));
      if (outcome != Outcome::GaveUp || state.steps >= workLimit)
        return outcome;
    }
}

int64_t PackWithin::peak() const {
  int64_t peak = 0;
  for (size_t i = 0; i < buffers.size(); ++i)
    peak = std::max(peak, found[i] + buffers[i].bytes);
  return peak;
}

void PackWithin::orderBy(int rule) {
  auto sectionsOf = [&](int i) {
    return static_cast<double>(sections.end(i) - sections.first(i));
  };
  auto bytes = [&](int i) { return static_cast<double>(buffers[i].bytes); };
  auto time = [&](int i) {
    return static_cast<double>(buffers[i].last) -
           static_cast<double>(buffers[i].first) + 1;
  };
  auto key = [&](int i) {
    switch (rule) {
    case 0:
      return sectionsOf(i) * bytes(i);
    case 1:
      return bytes(i);
    case 2:
      return sectionsOf(i);
    case 3:
      return time(i) * bytes(i);
    case 4:
      return time(i);
    case 5:
      return -sectionsOf(i);
    default:
      return -bytes(i);
    }
  };
  std::ranges::sort(order, std::greater<>(),
                    [&](int i) { return std::pair(key(i), -i); });
  for (size_t i = 0; i < order.size(); ++i)
    rank[order[i]] = static_cast<int>(i);
}

/// Depth first. A node of the tree is a choice for one section; after it, all
/// parts have to be solved, and if one cannot be, none of the others matters.
PackWithin::Outcome PackWithin::run(int64_t workLimit) {
  nodes.clear();
  nodes.emplace_back();
  nodes.back().parts = split({0, sections.count()});
  bool solved = true;
  while (true) {
    Node &node = nodes.back();
    if (solved && node.solved < node.parts.size()) {
      solved = enter(node.parts[node.solved++]);
      continue;
    }
    if (solved) {
      nodes.pop_back();
      if (!nodes.empty())
        continue;
      found.resize(buffers.size());
      for (size_t i = 0; i < buffers.size(); ++i)
        found[i] = state.lowest(static_cast<int>(i));
      return Outcome::Fits;
    }
    if (nodes.size() == 1)
      return Outcome::DoesNotFit;
    if (state.steps >= workLimit)
      return Outcome::GaveUp;
    state.takeBack(node.beforeTry);
    solved = tryNext(node);
    if (!solved) {
      state.takeBack(node.beforeNode);
      if (failed.size() < kMaxFailed)
        failed.insert(node.key ? *node.key : keyOf(node.range));
      nodes.pop_back();
    }
  }
}

/// Begins a part. Returns false: its first choice is still to be made, or it
/// has failed before and is not entered.
bool PackWithin::enter(Range range) {
  state.steps += range.end - range.begin;
  Node node;
  node.range = range;
  if (!failed.empty()) {
    node.key = keyOf(range);
    if (failed.contains(*node.key))
      return false;
  }
  node.beforeNode = node.beforeTry = state.mark();
  nodes.push_back(std::move(node));
  return false;
}

PackWithin::Key PackWithin::keyOf(Range range) {
  Key key;
  for (int s = range.begin; s < range.end; ++s) {
    key.add(2 * static_cast<uint64_t>(s), state.floor(s));
    for (int buffer : sections.starting(s))
      if (!state.isPlaced(buffer))
        key.add(2 * static_cast<uint64_t>(buffer) + 1, 0);
  }
  return key;
}

std::vector<PackWithin::Range> PackWithin::split(Range range) {
  std::vector<Range> parts;
  int begin = range.begin;
  int end = range.begin;
  state.steps += range.end - range.begin;
  for (int s = range.begin; s < range.end; ++s) {
    if (s == end) {
      if (begin < end)
        parts.push_back({begin, end});
      begin = end = s;
    }
    for (int buffer : sections.starting(s))
      if (!state.isPlaced(buffer))
        end = std::max(end, sections.end(buffer));
    if (end == s)
      begin = end = s + 1;
  }
  if (begin < end)
    parts.push_back({begin, end});
  // Short parts fail early.
  std::ranges::sort(parts, {}, [](const Range &part) {
    return std::pair(part.end - part.begin, part.begin);
  });
  return parts;
}

/// Chooses among the sections of all valleys, whose neighbours on both sides
/// have higher floors: a buffer that begins at the floor of one lies in the
/// valley, and none can lie below it. Those with few choices that have often
/// failed come first.
void PackWithin::chooseSection(Node &node) {
  auto [begin, end] = node.range;
  state.steps += end - begin;
  node.section = -1;
  int64_t choices = 0;
  for (int from = begin, to = begin; from < end; from = to) {
    int64_t floor = state.floor(from);
    while (to < end && state.floor(to) == floor)
      ++to;
    if ((from > begin && state.floor(from - 1) < floor) ||
        (to < end && state.floor(to) < floor))
      continue;
    for (int s = from; s < to; ++s) {
      int64_t count = state.countChoices(s);
      if (node.section >= 0) {
        int64_t left = count * state.failures(node.section);
        int64_t right = choices * state.failures(s);
        if (std::tuple(left, state.slack(s)) >=
            std::tuple(right, state.slack(node.section)))
          continue;
      }
      node.section = s;
      choices = count;
    }
  }
  node.candidates.clear();
  node.tried = 0;
  for (int buffer : state.buffersOf(node.section))
    if (!state.isPlaced(buffer) &&
        state.lowest(buffer) == state.floor(node.section))
      node.candidates.push_back(buffer);
  std::ranges::sort(node.candidates, {}, [&](int i) {
    return std::pair(prefersSeams ? -countSeams(i, node.range) : 0, rank[i]);
  });
}

/// How well a buffer at its floor closes the valley: how many of its sides are
/// the valley's, and, which counts more, where it ends as high as what is
/// beyond.
int PackWithin::countSeams(int buffer, Range range) const {
  int64_t floor = state.lowest(buffer);
  int64_t top = floor + state.bytesOf(buffer);
  auto seamsBeside = [&](int section) {
    if (section < range.begin || section >= range.end)
      return 1;
    return (state.floor(section) > floor) + 2 * (state.floor(section) == top);
  };
  return seamsBeside(sections.first(buffer) - 1) +
         seamsBeside(sections.end(buffer));
}

/// Makes the node's next choice that does not fail at once. Returns false where
/// there is none.
bool PackWithin::tryNext(Node &node) {
  auto isLikeTried = [&](int buffer) {
    return std::any_of(
        node.candidates.begin(), node.candidates.begin() + node.tried,
        [&](int other) {
          return sections.first(other) == sections.first(buffer) &&
                 sections.end(other) == sections.end(buffer) &&
                 buffers[other].bytes == buffers[buffer].bytes &&
                 buffers[other].alignment == buffers[buffer].alignment;
        });
  };
  while (true) {
    if (node.section < 0)
      chooseSection(node);
    for (; node.tried < node.candidates.size(); ++node.tried) {
      int buffer = node.candidates[node.tried];
      if (isLikeTried(buffer))
        continue;
      if (state.place(buffer)) {
        ++node.tried;
        node.parts = split(node.range);
        node.solved = 0;
        return true;
      }
      state.takeBack(node.beforeTry);
    }
    int64_t floor = nextFloor(node.section);
    if (floor - state.floor(node.section) > state.slack(node.section)) {
      if (floor < std::numeric_limits<int64_t>::max())
        state.needs(floor + state.unplaced(node.section));
      return false;
    }
    if (!state.leave(node.section, floor))
      return false;
    node.beforeTry = state.mark();
    node.section = -1;
  }
}

/// The lowest offset above its floor at which a buffer of the section can
/// begin: where it can begin now, or on top of a buffer that is not of the
/// section.
int64_t PackWithin::nextFloor(int section) {
  int64_t floor = std::numeric_limits<int64_t>::max();
  Range movable{section, section + 1};
  for (int buffer : state.buffersOf(section)) {
    if (state.isPlaced(buffer))
      continue;
    if (state.lowest(buffer) > state.floor(section)) {
      floor = std::min(floor, state.lowest(buffer));
      continue;
    }
    movable.begin = std::min(movable.begin, sections.first(buffer));
    movable.end = std::max(movable.end, sections.end(buffer));
  }
  for (int s = movable.begin; s < movable.end; ++s) {
    state.steps += static_cast<int64_t>(state.buffersOf(s).size());
    for (int below : state.buffersOf(s))
      if (!state.isPlaced(below) && !sections.has(section, below))
        floor = std::min(floor, state.lowest(below) + state.bytesOf(below));
  }
  return floor;
}

} // namespace npu
