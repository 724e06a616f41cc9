// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds races by a sweep in the order of the schedule. An access races with a
// conflicting one that is earlier in the schedule and later in the program, and
// with one of another tile's task in the same phase.

#include "FindRace.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"

#include <map>

using namespace mlir;

namespace npu {
namespace {

using Race = std::optional<std::pair<size_t, size_t>>;

/// The steps of a schedule run one after the other; operations of one step do
/// not wait for each other.
using Step = std::pair<int64_t, Part>;

Step stepOf(const ScheduledOp &op) { return {op.phase, op.part}; }

/// The accesses of one kind, reads or writes, to one part of memory that the
/// sweep has seen. Operations are identified by their places in the program.
class Seen {
public:
  /// Adds an access. To be called for every access of a step before any of the
  /// step is checked.
  void add(size_t op, const ScheduledOp &scheduled) {
    enter(stepOf(scheduled));
    if (!first || tileOfFirst == scheduled.tile) {
      first = std::max(first.value_or(op), op);
      tileOfFirst = scheduled.tile;
    } else {
      ofOtherTile = std::max(ofOtherTile.value_or(op), op);
    }
  }

  /// The operations that race, if the access of `op` conflicts with one that
  /// was added.
  Race racing(size_t op, const ScheduledOp &scheduled) {
    enter(stepOf(scheduled));
    if (before && *before > op)
      return std::pair(op, *before);
    if (scheduled.part != Part::Task || !first)
      return std::nullopt;
    if (tileOfFirst != scheduled.tile)
      return std::minmax(op, *first);
    if (ofOtherTile)
      return std::minmax(op, *ofOtherTile);
    return std::nullopt;
  }

private:
  /// Begins a step: the accesses of the step before now count as earlier.
  void enter(Step next) {
    if (next == step)
      return;
    step = next;
    before = std::max({before, first, ofOtherTile});
    first = ofOtherTile = std::nullopt;
  }

  /// The latest operation in program order among those of earlier steps.
  std::optional<size_t> before;
  /// The latest operations in program order of the current step: the latest of
  /// one tile, and the latest of all other tiles.
  std::optional<size_t> first, ofOtherTile;
  int64_t tileOfFirst = 0;
  std::optional<Step> step;
};

struct ReadsAndWrites {
  Seen reads, writes;

  void add(size_t op, const ScheduledOp &scheduled, bool isWrite) {
    (isWrite ? writes : reads).add(op, scheduled);
  }
  Race racing(size_t op, const ScheduledOp &scheduled, bool isWrite) {
    if (Race race = writes.racing(op, scheduled))
      return race;
    return isWrite ? reads.racing(op, scheduled) : std::nullopt;
  }
};

/// One box of a buffer, and the numbers of the boxes that overlap it, its own
/// included.
struct BoxOfBuffer {
  Box box;
  ReadsAndWrites seen;
  SmallVector<unsigned, 4> overlapping;
};

struct Buffer {
  ReadsAndWrites anything, unknownBox;
  std::vector<BoxOfBuffer> boxes;
};

struct Space {
  ReadsAndWrites anything, unknownBuffer;
};

/// One access, with the place where the sweep records it.
struct Place {
  size_t op;
  bool writes;
  Space *space;
  Buffer *buffer;
  BoxOfBuffer *box;
};

/// The dimension in which boxes have the most distinct begins.
size_t mostSelectiveDim(ArrayRef<BoxOfBuffer> boxes) {
  size_t best = 0, bestCount = 0;
  for (size_t dim = 0; dim < boxes.front().box.rank(); ++dim) {
    llvm::DenseSet<int64_t> begins;
    for (const BoxOfBuffer &box : boxes)
      begins.insert(box.box[dim].begin);
    if (begins.size() > bestCount) {
      best = dim;
      bestCount = begins.size();
    }
  }
  return best;
}

/// Finds overlapping boxes. In sorted order, boxes that begin after the end of
/// this one need not be compared. All boxes of a buffer have its rank.
void findOverlaps(std::vector<BoxOfBuffer> &boxes) {
  if (boxes.empty())
    return;
  size_t dim = mostSelectiveDim(boxes);
  bool hasDims = boxes.front().box.rank() > 0;
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(boxes.size()));
  if (hasDims)
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(boxes[a].box[dim].begin, a) <
             std::pair(boxes[b].box[dim].begin, b);
    });
  for (auto [place, i] : llvm::enumerate(order))
    for (unsigned other : ArrayRef(order).drop_front(place)) {
      if (hasDims && boxes[other].box[dim].begin >= boxes[i].box[dim].end)
        break;
      if (!overlap(boxes[i].box, boxes[other].box))
        continue;
      boxes[i].overlapping.push_back(other);
      if (other != i)
        boxes[other].overlapping.push_back(i);
    }
}

/// The memory that operations access, by space, buffer and box.
class Memory {
public:
  explicit Memory(ArrayRef<ScheduledOp> ops) : ops(ops) {
    // The nodes of std::map do not move; boxes are identified by number until
    // all are known.
    std::map<Buffer *, std::map<std::vector<int64_t>, unsigned>> numbers;
    std::vector<std::optional<unsigned>> boxOf;
    for (auto [i, op] : llvm::enumerate(ops))
      for (const BufferAccess &access :
           op.accesses ? ArrayRef(*op.accesses) : ArrayRef<BufferAccess>()) {
        Place place{i, access.writes, &spaces[access.space], nullptr, nullptr};
        std::optional<unsigned> box;
        if (access.root) {
          place.buffer =
              &buffers[{access.space, access.root.getAsOpaquePointer()}];
          if (access.box) {
            std::vector<BoxOfBuffer> &boxes = place.buffer->boxes;
            auto [it, isNew] = numbers[place.buffer].try_emplace(
                rangesOf(*access.box), boxes.size());
            if (isNew)
              boxes.push_back({*access.box, {}, {}});
            box = it->second;
          }
        }
        places.push_back(place);
        boxOf.push_back(box);
      }
    for (auto [place, box] : llvm::zip(places, boxOf))
      if (box)
        place.box = &place.buffer->boxes[*box];
    for (auto &[key, buffer] : buffers)
      findOverlaps(buffer.boxes);
    llvm::sort(places, [&](const Place &a, const Place &b) {
      return std::pair(stepOf(ops[a.op]), a.op) <
             std::pair(stepOf(ops[b.op]), b.op);
    });
  }

  Race findRace() {
    ArrayRef<Place> rest = places;
    while (!rest.empty()) {
      Step step = stepOf(ops[rest.front().op]);
      ArrayRef<Place> now = rest.take_while(
          [&](const Place &place) { return stepOf(ops[place.op]) == step; });
      rest = rest.drop_front(now.size());
      for (const Place &place : now)
        add(place);
      for (const Place &place : now)
        if (Race race = racing(place))
          return race;
    }
    return std::nullopt;
  }

private:
  static std::vector<int64_t> rangesOf(const Box &box) {
    std::vector<int64_t> ranges;
    for (const Range &range : box)
      ranges.insert(ranges.end(), {range.begin, range.end});
    return ranges;
  }

  void add(const Place &place) {
    auto addTo = [&](ReadsAndWrites &seen) {
      seen.add(place.op, ops[place.op], place.writes);
    };
    addTo(place.space->anything);
    if (!place.buffer)
      return addTo(place.space->unknownBuffer);
    addTo(place.buffer->anything);
    addTo(place.box ? place.box->seen : place.buffer->unknownBox);
  }

  Race racing(const Place &place) {
    auto with = [&](ReadsAndWrites &seen) {
      return seen.racing(place.op, ops[place.op], place.writes);
    };
    if (!place.buffer)
      return with(place.space->anything);
    if (Race race = with(place.space->unknownBuffer))
      return race;
    if (!place.box)
      return with(place.buffer->anything);
    if (Race race = with(place.buffer->unknownBox))
      return race;
    for (unsigned other : place.box->overlapping)
      if (Race race = with(place.buffer->boxes[other].seen))
        return race;
    return std::nullopt;
  }

  ArrayRef<ScheduledOp> ops;
  std::map<int64_t, Space> spaces;
  std::map<std::pair<int64_t, const void *>, Buffer> buffers;
  std::vector<Place> places;
};

/// Finds a race with an operation of unknown accesses, which conflicts with
/// every other. No operation before it in the program may be in a later step,
/// none after it in an earlier one, and none may be in the same step.
Race findRaceWithUnknown(ArrayRef<ScheduledOp> ops) {
  auto outOfOrder = [&](size_t earlier, size_t later) {
    Step first = stepOf(ops[earlier]), second = stepOf(ops[later]);
    return second < first || (first == second && first.second == Part::Task &&
                              ops[earlier].tile != ops[later].tile);
  };
  std::vector<Step> lastBefore(ops.size()), firstAfter(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    Step step = stepOf(ops[i]);
    lastBefore[i] = i ? std::max(lastBefore[i - 1], step) : step;
  }
  for (size_t i = ops.size(); i-- > 0;) {
    Step step = stepOf(ops[i]);
    firstAfter[i] =
        i + 1 < ops.size() ? std::min(firstAfter[i + 1], step) : step;
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    Step step = stepOf(ops[i]);
    if (ops[i].accesses || (step.second != Part::Task &&
                            lastBefore[i] <= step && step <= firstAfter[i]))
      continue;
    for (size_t other = 0; other < ops.size(); ++other) {
      auto [earlier, later] = std::minmax(i, other);
      if (other != i && outOfOrder(earlier, later))
        return std::pair(earlier, later);
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<std::pair<Operation *, Operation *>>
findRace(ArrayRef<ScheduledOp> ops) {
  Race race = findRaceWithUnknown(ops);
  if (!race)
    race = Memory(ops).findRace();
  if (!race)
    return std::nullopt;
  return std::pair(ops[race->first].op, ops[race->second].op);
}

} // namespace npu
