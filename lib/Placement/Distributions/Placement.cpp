// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes one compute box and one memory box for every tile from a
// distribution and a shape.

#include "npu/Placement/Distributions/Placement.h"

#include "../Boxes/BoxSets.h"
#include "SplitRanges.h"

namespace npu {
namespace {

std::string number(std::size_t value) { return std::to_string(value); }

class Placer {
public:
  Placer(const Distribution &distribution, const Extents &shape)
      : d(distribution), mode(traitsOf(d.mode)), shape(shape),
        whole(Box::whole(shape)) {}

  Result<Placement> run() {
    if (Result<> failure = checkShape(); !failure)
      return failure.error();
    placement.shape = shape;
    placement.tiles.resize(tileCount(d));
    if (!d.tiles.empty() && mode.splits)
      makeGridBoxes();
    else
      for (TileBoxes &boxes : placement.tiles)
        boxes = {whole, whole};
    takeExplicitBoxes();
    for (Result<> (Placer::*check)() :
         {&Placer::checkInside, &Placer::checkFootprint, &Placer::checkCompute})
      if (Result<> failure = (this->*check)(); !failure)
        return failure.error();
    return std::move(placement);
  }

private:
  Result<> checkShape() {
    if (Result<> failure = checkDistribution(d); !failure)
      return failure;
    std::size_t rank = shape.size();
    if (!d.tiles.empty() && d.tiles.size() != rank)
      return rankMismatch("`tiles` " + toString(d.tiles));
    if (!d.align.empty() && d.align.size() != rank)
      return rankMismatch("`align` " + toString(d.align));
    for (const std::vector<Box> *boxes : {&d.compute, &d.memory})
      if (!boxes->empty() && boxes->front().rank() != rank)
        return rankMismatch("box " + toString(boxes->front()));
    for (int64_t extent : shape)
      if (extent < 0)
        return Error{"expected non-negative extents, got shape " +
                     toString(shape)};
    if (!checkedProduct(shape.span()))
      return Error{"expected fewer than 2^63 elements, got shape " +
                   toString(shape)};
    return Success();
  }

  Error rankMismatch(const std::string &got) const {
    return Error{"expected " + number(shape.size()) + " dimensions as shape " +
                 toString(shape) + " has, got " + got};
  }

  void makeGridBoxes() {
    // List dimensions fastest-varying first: division then yields one
    // coordinate after the other.
    Permutation fastestFirst;
    if (d.major.empty()) {
      for (std::size_t dim = shape.size(); dim-- > 0;)
        if (d.tiles[dim] > 1)
          fastestFirst.push_back(static_cast<int64_t>(dim));
    } else {
      for (std::size_t i = d.major.size(); i-- > 0;)
        fastestFirst.push_back(d.major[i]);
    }
    for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile) {
      Box compute = whole, memory = whole;
      int64_t rest = static_cast<int64_t>(tile) / d.copies;
      for (int64_t dim : fastestFirst) {
        DimensionSplit split{shape[dim], d.tiles[dim], d.split,
                             d.align.empty() ? 1 : d.align[dim]};
        int64_t index = rest % split.count;
        rest /= split.count;
        compute[dim] = computeRange(split, index);
        if (!mode.holdsWhole)
          memory[dim] = d.windows.empty()
                            ? compute[dim]
                            : memoryRange(split, index, d.windows, dim);
      }
      placement.tiles[tile] = {compute, memory};
    }
  }

  void takeExplicitBoxes() {
    for (std::size_t tile = 0; tile < d.compute.size(); ++tile) {
      TileBoxes &boxes = placement.tiles[tile];
      boxes.compute = d.compute[tile];
      // With windows, a tile holds what they read joined with what it computes;
      // without windows, it holds what it computes, whatever the mode.
      boxes.memory =
          d.windows.empty() ? boxes.compute : hull(boxes.memory, boxes.compute);
    }
    for (std::size_t tile = 0; tile < d.memory.size(); ++tile)
      placement.tiles[tile].memory = d.memory[tile];
  }

  Result<> checkInside() {
    if (d.compute.empty() && d.memory.empty())
      return Success();
    for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile) {
      const TileBoxes &boxes = placement.tiles[tile];
      for (const Box *box : {&boxes.compute, &boxes.memory})
        if (!whole.contains(*box))
          return Error{"expected boxes inside " + toString(whole) + ", got " +
                       (box == &boxes.compute ? "compute" : "memory") +
                       " box " + toString(*box) + " on tile " + number(tile)};
      if (!boxes.memory.contains(boxes.compute))
        return Error{"expected the memory box of tile " + number(tile) +
                     " to contain its compute box " + toString(boxes.compute) +
                     ", got " + toString(boxes.memory)};
    }
    return Success();
  }

  /// Checks that the elements held by all tiles together fit in 63 bits. Every
  /// figure of a plan is at most that sum.
  Result<> checkFootprint() {
    int64_t total = 0;
    for (const TileBoxes &boxes : placement.tiles)
      if (__builtin_add_overflow(total, boxes.memory.volume(), &total))
        return Error{"expected fewer than 2^63 elements on all " +
                     number(placement.tiles.size()) +
                     " tiles together, got shape " + toString(shape)};
    return Success();
  }

  /// Checks that compute boxes cover the tensor and do not overlap. Only
  /// explicit boxes can fail this check.
  Result<> checkCompute() {
    if (d.compute.empty())
      return Success();
    std::vector<Box> distinct = distinctBoxes(d.compute);
    int64_t total = 0;
    for (const Box &box : distinct)
      total += box.volume();
    // Disjoint boxes cover a space exactly when their volumes add up to its
    // volume. For a few boxes, testing whether they are disjoint is the faster
    // test.
    if (total == whole.volume() && areFewAndDisjoint(distinct))
      return Success();
    bool gaveUp = false;
    if (std::optional<Box> gap = findUncovered(whole, distinct, gaveUp))
      return Error{"expected compute boxes that cover " + toString(whole) +
                   ", got none that holds " + toString(*gap)};
    if (gaveUp)
      return Error{"expected compute boxes that form a grid or a few parts, "
                   "got " +
                   number(distinct.size()) + " boxes too irregular to check"};
    if (!mode.computesOnce || total == whole.volume())
      return Success();
    std::optional<std::pair<Box, Box>> pair = findOverlap(distinct);
    return Error{"expected compute boxes that are disjoint or equal under " +
                 std::string(mode.words) +
                 (pair ? ", got " + toString(pair->first) + " and " +
                             toString(pair->second)
                       : "")};
  }

  static bool areFewAndDisjoint(const std::vector<Box> &boxes) {
    if (boxes.size() > 16)
      return false;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      for (std::size_t j = i + 1; j < boxes.size(); ++j)
        if (overlap(boxes[i], boxes[j]))
          return false;
    return true;
  }

  const Distribution &d;
  const ModeTraits &mode;
  const Extents &shape;
  Box whole;
  Placement placement;
};

} // namespace

Result<Placement> place(const Distribution &distribution,
                        const Extents &shape) {
  return Placer(distribution, shape).run();
}

} // namespace npu
