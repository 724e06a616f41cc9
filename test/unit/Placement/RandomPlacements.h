// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random shapes and distributions of every mode and form, small enough to be
// checked element by element, and the same on every run.

#ifndef NPU_UNITTEST_PLACEMENT_RANDOMPLACEMENTS_H
#define NPU_UNITTEST_PLACEMENT_RANDOMPLACEMENTS_H

#include "npu/Placement/Placement.h"

#include <algorithm>
#include <random>

namespace npu {

class RandomPlacements {
public:
  explicit RandomPlacements(uint32_t seed) : generator(seed) {}

  int64_t below(int64_t count) {
    return static_cast<int64_t>(generator() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool oneIn(int64_t count) { return below(count) == 0; }

  /// Rank 1 to 4 with at most some 200 elements; now and then an empty one.
  Extents shape() {
    Extents result;
    int64_t rank = between(1, 4), room = 200;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t extent = between(1, std::min<int64_t>(room, 9));
      if (oneIn(60))
        extent = 0;
      result.push_back(extent);
      room /= std::max<int64_t>(1, extent);
      room = std::max<int64_t>(1, room);
    }
    return result;
  }

  Permutation permutation(std::size_t rank) {
    Permutation result = identityPermutation(rank);
    std::shuffle(result.begin(), result.end(), generator);
    return result;
  }

  /// Any distribution that `place` accepts at that shape, of at most
  /// `maxTiles` tiles.
  Distribution distribution(const Extents &shape, int64_t maxTiles = 6) {
    for (;;) {
      Distribution result =
          oneIn(4) ? explicitBoxes(shape, maxTiles) : short_(shape, maxTiles);
      normalize(result);
      if (place(result, shape))
        return result;
    }
  }

  Placement placement(const Extents &shape, int64_t maxTiles = 6) {
    return *place(distribution(shape, maxTiles), shape);
  }

private:
  Mode mode() {
    constexpr Mode kModes[] = {Mode::Segmented, Mode::Overlapped,
                               Mode::Duplicated, Mode::SegmentedDuplicated,
                               Mode::SegmentedMulticasted};
    return kModes[below(5)];
  }

  Distribution short_(const Extents &shape, int64_t maxTiles) {
    Distribution result;
    result.mode = mode();
    int64_t room = maxTiles;
    if (oneIn(3))
      room /= result.copies = between(1, std::min<int64_t>(3, maxTiles));
    if (result.mode == Mode::Duplicated && oneIn(2)) {
      result.tileCount = between(1, room);
      return result;
    }
    result.tiles = Extents(shape.size(), 1);
    for (int64_t dim : permutation(shape.size())) {
      result.tiles[dim] = between(1, room);
      room /= result.tiles[dim];
    }
    if (oneIn(2))
      for (int64_t dim : permutation(shape.size()))
        if (result.tiles[dim] > 1)
          result.major.push_back(dim);
    result.split = oneIn(2) ? Split::Balanced : Split::Ceil;
    if (oneIn(3))
      for (std::size_t dim = 0; dim < shape.size(); ++dim)
        result.align.push_back(between(1, 4));
    if (result.mode == Mode::Overlapped)
      for (int64_t count = below(4); count > 0; --count)
        result.windows.push_back(window(shape.size()));
    return result;
  }

  Window window(std::size_t rank) {
    return {below(static_cast<int64_t>(rank)),
            between(1, 4),
            between(1, 3),
            below(3),
            below(3),
            between(1, 2)};
  }

  /// Parts cut from the tensor, dealt to tiles, with memory grown around them.
  Distribution explicitBoxes(const Extents &shape, int64_t maxTiles) {
    Distribution result;
    result.mode = mode();
    std::vector<Box> &parts = result.compute;
    parts.push_back(Box::whole(shape));
    for (int64_t cuts = below(maxTiles); cuts > 0; --cuts) {
      std::size_t part = below(static_cast<int64_t>(parts.size()));
      std::size_t dim = below(static_cast<int64_t>(shape.size()));
      Range whole = parts[part][dim];
      int64_t at = between(whole.begin, whole.end);
      Box upper = parts[part];
      parts[part][dim].end = upper[dim].begin = at;
      if (oneIn(4)) // a replica instead of a part
        upper = parts[part], parts[part][dim].end = upper[dim].end = whole.end;
      parts.push_back(upper);
    }
    std::shuffle(parts.begin(), parts.end(), generator);
    if (oneIn(2))
      return result;
    result.memory = parts;
    for (Box &box : result.memory)
      for (std::size_t dim = 0; dim < shape.size(); ++dim)
        box[dim] = {std::max<int64_t>(0, box[dim].begin - below(3)),
                    std::min(shape[dim], box[dim].end + below(3))};
    return result;
  }

  std::mt19937 generator;
};

} // namespace npu

#endif // NPU_UNITTEST_PLACEMENT_RANDOMPLACEMENTS_H
