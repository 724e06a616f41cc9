// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of placements tile by tile, their images under a permute_cast, and
// their sizes.

#include "npu/Placement/Distributions/Placement.h"

#include <algorithm>

namespace npu {

/// An empty box. For a scalar it has one dimension, because a box of rank 0 is
/// never empty.
static Box nothing(const Placement &placement) {
  return Box(std::max<std::size_t>(1, placement.shape.size()));
}

Box Placement::memoryOf(std::size_t tile) const {
  return tile < tiles.size() ? tiles[tile].memory : nothing(*this);
}

Box Placement::computeOf(std::size_t tile) const {
  return tile < tiles.size() ? tiles[tile].compute : nothing(*this);
}

Placement permute(const Placement &placement, const Permutation &inDim) {
  Placement result;
  result.shape = permute(placement.shape, inDim);
  result.tiles.reserve(placement.tiles.size());
  for (const TileBoxes &boxes : placement.tiles)
    result.tiles.push_back(
        {permute(boxes.compute, inDim), permute(boxes.memory, inDim)});
  return result;
}

std::optional<std::size_t> firstMemoryDifference(const Placement &a,
                                                 const Placement &b) {
  std::size_t count = std::max(a.tiles.size(), b.tiles.size());
  for (std::size_t tile = 0; tile < count; ++tile)
    if (!(a.memoryOf(tile) == b.memoryOf(tile)))
      return tile;
  return std::nullopt;
}

std::optional<std::size_t> firstNotContained(const Placement &outer,
                                             const Placement &inner) {
  for (std::size_t tile = 0; tile < inner.tiles.size(); ++tile)
    if (!outer.memoryOf(tile).contains(inner.tiles[tile].memory))
      return tile;
  return std::nullopt;
}

bool sameMemory(const Placement &a, const Placement &b) {
  return a.shape == b.shape && !firstMemoryDifference(a, b);
}

bool sameCompute(const Placement &a, const Placement &b) {
  if (a.shape != b.shape)
    return false;
  std::size_t count = std::max(a.tiles.size(), b.tiles.size());
  for (std::size_t tile = 0; tile < count; ++tile)
    if (!(a.computeOf(tile) == b.computeOf(tile)))
      return false;
  return true;
}

bool memoryContains(const Placement &outer, const Placement &inner) {
  return outer.shape == inner.shape && !firstNotContained(outer, inner);
}

int64_t maxTileFootprint(const Placement &placement) {
  int64_t most = 0;
  for (const TileBoxes &boxes : placement.tiles)
    most = std::max(most, boxes.memory.volume());
  return most;
}

int64_t totalFootprint(const Placement &placement) {
  int64_t total = 0;
  for (const TileBoxes &boxes : placement.tiles)
    total += boxes.memory.volume();
  return total;
}

} // namespace npu
