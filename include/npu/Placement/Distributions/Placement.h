// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placements: one compute box and one memory box for every tile. Two
// distributions describe the same when their placements are equal.

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_PLACEMENT_H
#define NPU_PLACEMENT_DISTRIBUTIONS_PLACEMENT_H

#include "npu/Placement/Distributions/Distribution.h"

#include <string>
#include <vector>

namespace npu {

struct TileBoxes {
  /// The part that the tile produces and owns.
  Box compute;
  /// The part that the tile holds; it contains `compute`.
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

/// Computes and checks a placement. Errors: the rank differs, extents are
/// negative or their product is over 63 bits, boxes are outside the tensor,
/// compute boxes do not cover it or (outside OVERLAPPED and explicit boxes)
/// overlap without being equal, memory does not contain compute. Precondition:
/// checkDistribution finds no error. Example: SEGMENTED, tiles = [1, 4] of 8x28
/// gives tile 1 [0:8, 7:14].
Result<Placement> place(const Distribution &distribution, const Extents &shape);

/// The placement of a permute_cast's result (`inDim` from castDimensions).
Placement permute(const Placement &placement, const Permutation &inDim);

/// Compare boxes tile by tile. Tiles that one side does not have hold nothing
/// there.
bool sameMemory(const Placement &a, const Placement &b);
bool sameCompute(const Placement &a, const Placement &b);
bool memoryContains(const Placement &outer, const Placement &inner);
/// The first tile whose memory boxes differ, or are not contained.
std::optional<std::size_t> firstMemoryDifference(const Placement &a,
                                                 const Placement &b);
std::optional<std::size_t> firstNotContained(const Placement &outer,
                                             const Placement &inner);

/// The distribution in canonical form at that shape, for structural comparison:
/// explicit boxes that a grid split describes become that split (balanced
/// before ceil), windows and alignments without effect are dropped, DUPLICATED
/// has one count. Mode and placement stay as they are. The canonical forms of
/// two distributions of one mode and one placement may still differ in `split`.
Distribution canonical(const Distribution &distribution, const Extents &shape);

/// The shortest distribution whose memory boxes are the given ones and whose
/// compute boxes are `compute` (or, without these, those that make it
/// shortest): DUPLICATED, else SEGMENTED with tiles/major/copies/split, else
/// OVERLAPPED with one of the `windowHints`, else explicit boxes. Precondition:
/// the boxes cover the tensor and memory contains compute.
Distribution describe(const Extents &shape, const std::vector<Box> &memory,
                      const std::vector<Box> *compute = nullptr,
                      std::span<const Window> windowHints = {});

/// The number of elements that the fullest tile holds, and that all tiles hold
/// together.
int64_t maxTileFootprint(const Placement &placement);
int64_t totalFootprint(const Placement &placement);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_PLACEMENT_H
