// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Plans/RandomPlacements.h"

#include <algorithm>

namespace npu {

static std::mt19937 seeded(uint64_t seed, uint64_t number) {
  std::seed_seq words{seed, seed >> 32, number, number >> 32};
  return std::mt19937(words);
}

RandomNumbers::RandomNumbers(uint64_t seed, uint64_t number)
    : generator(seeded(seed, number)) {}

Permutation RandomNumbers::permutation(std::size_t rank) {
  Permutation result = identityPermutation(rank);
  shuffle(result);
  return result;
}

Extents RandomPlacements::shape(int64_t maxRank) {
  Extents result;
  int64_t rank = between(1, maxRank), room = 200;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t extent = between(1, std::min<int64_t>(room, 9));
    if (oneIn(60))
      extent = 0;
    result.push_back(extent);
    room /= std::max<int64_t>(1, extent);
    room = std::max<int64_t>(1, room);
  }
  shuffle(result);
  return result;
}

Distribution RandomPlacements::distribution(const Extents &shape,
                                            int64_t maxTiles) {
  for (;;) {
    Distribution result;
    if (shape.empty()) {
      result.mode = Mode::Duplicated;
      result.tileCount = between(1, maxTiles);
    } else {
      result = oneIn(4) ? explicitBoxes(shape, maxTiles)
                        : shortForm(shape, maxTiles);
    }
    normalize(result);
    if (place(result, shape))
      return result;
  }
}

Mode RandomPlacements::mode() {
  std::span<const ModeTraits> modes = allModes();
  return modes[below(static_cast<int64_t>(modes.size()))].mode;
}

Distribution RandomPlacements::shortForm(const Extents &shape,
                                         int64_t maxTiles) {
  Distribution result;
  result.mode = mode();
  int64_t room = maxTiles;
  if (oneIn(3))
    room /= result.copies = between(1, std::min<int64_t>(3, maxTiles));
  if (!traitsOf(result.mode).splits && oneIn(2)) {
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
  if (traitsOf(result.mode).hasHalo)
    for (int64_t count = below(4); count > 0; --count)
      result.windows.push_back(window(shape.size()));
  return result;
}

Window RandomPlacements::window(std::size_t rank) {
  Window result;
  result.dim = below(static_cast<int64_t>(rank));
  result.kernel = between(1, 4);
  result.stride = between(1, 3);
  result.padLo = below(3);
  result.padHi = below(3);
  result.dilation = between(1, 2);
  return result;
}

Padding RandomPlacements::padding(const Extents &shape) {
  Padding result;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!oneIn(2))
      continue;
    int64_t extent = shape[dim];
    Range range{between(0, extent), extent};
    if (oneIn(2))
      range = {0, extent - range.begin};
    else if (oneIn(2))
      range.end = between(range.begin, extent);
    result.push_back({dim, range});
  }
  return result;
}

/// Cuts the tensor into parts, assigns them to tiles, and extends memory boxes
/// around them.
Distribution RandomPlacements::explicitBoxes(const Extents &shape,
                                             int64_t maxTiles) {
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
  shuffle(parts);
  if (oneIn(2))
    return result;
  result.memory = parts;
  for (Box &box : result.memory)
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      box[dim] = {std::max<int64_t>(0, box[dim].begin - below(3)),
                  std::min(shape[dim], box[dim].end + below(3))};
  return result;
}

} // namespace npu
