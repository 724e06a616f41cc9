// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises a grid of tiles in a list of boxes. The number of the first tile
// whose range along a dimension differs from that of tile 0 is the stride of
// the dimension, and tile counts are quotients of strides.

#include "GridRecognition.h"

#include "SplitRanges.h"

#include <algorithm>
#include <numeric>

namespace npu {
namespace {

struct Level {
  int64_t stride;
  std::size_t dim;

  friend auto operator<=>(const Level &, const Level &) = default;
};

/// The dimensions along which the boxes differ, fastest-varying first.
std::vector<Level> findLevels(const std::vector<Box> &boxes, int64_t copies) {
  std::vector<Level> levels;
  for (std::size_t dim = 0; dim < boxes.front().rank(); ++dim)
    for (std::size_t tile = copies; tile < boxes.size(); tile += copies)
      if (!boxes[tile].isEmpty() && boxes[tile][dim] != boxes.front()[dim]) {
        levels.push_back({static_cast<int64_t>(tile) / copies, dim});
        break;
      }
  std::sort(levels.begin(), levels.end());
  return levels;
}

/// The number of tiles along one level whose boxes are not empty.
int64_t countHolding(const std::vector<Box> &boxes, int64_t copies,
                     int64_t stride, int64_t end) {
  int64_t count = 0;
  for (int64_t position = 0; position < end; position += stride)
    count += !boxes[position * copies].isEmpty();
  return count;
}

} // namespace

std::optional<Grid> guessGrid(const Extents &shape,
                              const std::vector<Box> &boxes) {
  if (boxes.empty() || boxes.front().isEmpty())
    return std::nullopt;
  auto differs = std::find_if(boxes.begin(), boxes.end(), [&](const Box &box) {
    return !(box == boxes.front());
  });
  Grid grid;
  grid.copies = differs - boxes.begin();
  if (boxes.size() % grid.copies != 0)
    return std::nullopt;
  int64_t gridSize = static_cast<int64_t>(boxes.size()) / grid.copies;
  grid.tiles = Extents(shape.size(), 1);
  grid.strides = Extents(shape.size(), 1);

  // A split of a dimension of extent 1 leaves all tiles but the first empty,
  // and shows only as tiles that no other dimension accounts for.
  std::size_t unit = 0;
  Permutation fastestFirst;
  auto assign = [&](std::size_t dim, int64_t stride, int64_t count) {
    grid.tiles[dim] = count;
    grid.strides[dim] = stride;
    if (count > 1)
      fastestFirst.push_back(static_cast<int64_t>(dim));
  };
  auto assignUnit = [&](int64_t stride, int64_t count) {
    while (unit < shape.size() && shape[unit] != 1)
      ++unit;
    if (unit == shape.size())
      return false;
    assign(unit++, stride, count);
    return true;
  };

  std::vector<Level> levels = findLevels(boxes, grid.copies);
  int64_t stride = levels.empty() ? gridSize : levels.front().stride;
  if (stride > 1 && !assignUnit(1, stride))
    return std::nullopt;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    int64_t next = i + 1 < levels.size() ? levels[i + 1].stride : gridSize;
    if (next <= stride || next % stride != 0)
      return std::nullopt;
    int64_t count = next / stride;
    int64_t holding = countHolding(boxes, grid.copies, stride, next);
    // Tiles can be empty because this level or because a dimension of extent 1
    // is split. The extent decides: a split leaves no tile empty while there
    // are elements for it.
    bool hidden = holding < count && holding < shape[levels[i].dim] &&
                  count % holding == 0 &&
                  assignUnit(stride * holding, count / holding);
    assign(levels[i].dim, stride, hidden ? holding : count);
    if (hidden) // the slower of the two belongs after the faster
      std::swap(fastestFirst[fastestFirst.size() - 2], fastestFirst.back());
    stride = next;
  }
  for (std::size_t i = fastestFirst.size(); i-- > 0;)
    grid.major.push_back(fastestFirst[i]);
  if (std::is_sorted(grid.major.begin(), grid.major.end()))
    grid.major.clear();
  return grid;
}

/// Whether tile 0 computes the box `first`, which excludes most wrong splits.
static bool startsLike(const Distribution &split, const Extents &shape,
                       const Box &first) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (computeRange({shape[dim], split.tiles[dim], split.split,
                      split.align.empty() ? 1 : split.align[dim]},
                     0) != first[dim])
      return false;
  return true;
}

std::optional<Distribution> findSplit(const Extents &shape,
                                      const std::vector<Box> &boxes) {
  std::optional<Grid> grid = guessGrid(shape, boxes);
  if (!grid)
    return std::nullopt;
  Distribution result;
  result.tiles = grid->tiles;
  result.major = grid->major;
  result.copies = grid->copies;
  // An alignment with these borders divides all of them.
  Extents align(shape.size(), 1);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t divisor = 0;
    for (const Box &box : boxes)
      if (!box.isEmpty())
        divisor = std::gcd(divisor, box[dim].begin);
    if (grid->tiles[dim] > 1 && divisor > 1)
      align[dim] = divisor;
  }
  for (bool aligned : {false, true}) {
    if (aligned)
      result.align = align;
    normalize(result);
    for (Split split : {Split::Balanced, Split::Ceil}) {
      result.split = split;
      if (!startsLike(result, shape, boxes.front()))
        continue;
      Result<Placement> placement = place(result, shape);
      if (!placement || placement->tiles.size() != boxes.size())
        continue;
      bool same = true;
      for (std::size_t tile = 0; same && tile < boxes.size(); ++tile)
        same = placement->tiles[tile].compute == boxes[tile];
      if (same)
        return result;
    }
  }
  return std::nullopt;
}

} // namespace npu
