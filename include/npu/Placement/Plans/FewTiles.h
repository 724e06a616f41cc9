// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves between few tiles, without a plan: a search for layouts asks for
// the transfers between every two of dozens of placements, on a handful of
// tiles, and wants to know only how large they are.

#ifndef NPU_PLACEMENT_PLANS_FEWTILES_H
#define NPU_PLACEMENT_PLANS_FEWTILES_H

#include "npu/Placement/Distributions/Placement.h"

namespace npu {

/// Tiles 0 to 63, as bits.
using TileMask = uint64_t;

/// The memory boxes of a placement on at most 64 tiles: along each dimension
/// the intervals between the borders of boxes, in increasing order, each with
/// the tiles whose boxes have it. A tile holds an element where its bit is in
/// the intervals of the element along all dimensions. Example: SEGMENTED,
/// tiles = [2, 1] of 8x8 has 0:4 of tile 0 and 4:8 of tile 1 along the first
/// dimension, and 0:8 of both along the second.
class TileIntervals {
public:
  struct Interval {
    int64_t end = 0;
    TileMask tiles = 0;
  };

  /// Nothing on more tiles.
  static std::optional<TileIntervals> of(const Placement &placement);

  std::size_t rank() const { return intervals.size(); }
  std::size_t tileCount() const { return tiles; }
  const std::vector<Interval> &along(std::size_t dim) const {
    return intervals[dim];
  }

private:
  FixedVector<std::vector<Interval>, kMaxRank> intervals;
  std::size_t tiles = 0;
};

/// A transfer between tiles without its box: so many elements, from one tile to
/// those of `to`.
struct SizedTransfer {
  int from = 0;
  TileMask to = 0;
  int64_t elements = 0;
};

/// The transfers between two placements, of which at most 64 are listed.
using SizedTransfers = FixedVector<SizedTransfer, 64>;

/// The transfers of planRedistribution() where no elements share a byte, in any
/// order. Nothing where there are too many, or no plan. Precondition: both are
/// of one shape.
std::optional<SizedTransfers> findTransfers(const TileIntervals &source,
                                            const TileIntervals &target);

} // namespace npu

#endif // NPU_PLACEMENT_PLANS_FEWTILES_H
