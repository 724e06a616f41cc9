// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placements: one compute box and one memory box for every tile. The boxes are
// the truth; two distributions are the same when their placements are.

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_PLACEMENT_H
#define NPU_PLACEMENT_DISTRIBUTIONS_PLACEMENT_H

#include "npu/Placement/Distributions/Distribution.h"

#include <string>
#include <vector>

namespace npu {

struct TileBoxes {
  /// What the tile produces and owns.
  Box compute;
  /// What the tile holds; contains `compute`.
  Box memory;

  friend bool operator==(const TileBoxes &, const TileBoxes &) = default;
};

struct Placement {
  Extents shape;
  std::vector<TileBoxes> tiles;

  /// The tile's memory box; a tile beyond the last one holds nothing.
  Box memoryOf(std::size_t tile) const;
  Box computeOf(std::size_t tile) const;
};

/// Splits `extent` over `count` tiles. Offsets are prefix sums; a tile may
/// come out empty (its range begins where the previous one ended).
/// 10 over 4: balanced 3,3,2,2 and ceil 3,3,3,1; 80 over 4 aligned to 16:
/// balanced 32,16,16,16 and ceil 32,32,16,0.
std::vector<Range> splitExtent(int64_t extent, int64_t count, Split split,
                               int64_t alignment = 1);

/// Computes and checks a placement. Precondition: checkDistribution has nothing
/// to say. Errors: rank differs, extents negative or their product over 63
/// bits, boxes outside the tensor, compute boxes that do not cover it or
/// (outside OVERLAPPED and explicit boxes) overlap without being equal, memory
/// not containing compute. Example: SEGMENTED, tiles = [1, 4] of 8x28 gives
/// tile 1 [0:8, 7:14].
Result<Placement> place(const Distribution &distribution, const Extents &shape);

/// The placement seen through a permute_cast.
Placement permute(const Placement &placement, const Permutation &inDim);

/// Tile by tile, where one side's missing tiles hold nothing.
bool sameMemory(const Placement &a, const Placement &b);
bool sameCompute(const Placement &a, const Placement &b);
bool memoryContains(const Placement &outer, const Placement &inner);
/// The first tile whose memory boxes differ / are not contained.
std::optional<std::size_t> firstMemoryDifference(const Placement &a,
                                                 const Placement &b);
std::optional<std::size_t> firstNotContained(const Placement &outer,
                                             const Placement &inner);

/// The distribution in canonical form at that shape, for structural comparison:
/// explicit boxes that a grid split describes become that split (balanced
/// before ceil), windows and alignments without effect are dropped, DUPLICATED
/// has one count. mode and placement stay as they are. Two distributions of one
/// mode and one placement may still differ (`split`).
Distribution canonical(const Distribution &distribution, const Extents &shape);

/// The shortest distribution whose memory boxes are the given ones and whose
/// compute boxes are `compute` (or, without them, whatever makes it shortest):
/// DUPLICATED, SEGMENTED with tiles/major/copies/split, OVERLAPPED with one of
/// the `windowHints`, explicit boxes at last. Precondition: the boxes cover the
/// tensor and memory contains compute.
Distribution describe(const Extents &shape, const std::vector<Box> &memory,
                      const std::vector<Box> *compute = nullptr,
                      std::span<const Window> windowHints = {});

/// Elements that the fullest tile holds, and that all tiles hold.
int64_t maxTileFootprint(const Placement &placement);
int64_t totalFootprint(const Placement &placement);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_PLACEMENT_H
