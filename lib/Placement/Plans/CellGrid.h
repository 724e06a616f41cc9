// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placements whose memory boxes are the cells of a grid.

#ifndef NPU_LIB_PLACEMENT_PLANS_CELLGRID_H
#define NPU_LIB_PLACEMENT_PLANS_CELLGRID_H

#include "npu/Placement/Distributions/Placement.h"

namespace npu {

/// The memory boxes of a placement as cells: along each dimension there are
/// disjoint ranges, and every combination of them is the box of at least one
/// tile. Example: SEGMENTED, tiles = [2, 2] of 8x8 has the ranges 0:4 and 4:8
/// along both dimensions, and four cells. Empty boxes are no cells.
class CellGrid {
public:
  /// Nothing where the boxes are no grid.
  static std::optional<CellGrid> of(const Placement &placement);

  std::size_t rank() const { return ranges.size(); }
  std::size_t tileCount() const { return cellOf.size(); }
  /// The cells are numbered from 0, the last dimension fastest.
  std::size_t cellCount() const { return holders.size(); }
  /// The ranges along a dimension, in increasing order.
  const std::vector<Range> &along(std::size_t dim) const { return ranges[dim]; }
  /// Whether the ranges along each dimension cover it.
  bool covers(const Extents &shape) const;

  /// The cell that is the tile's box; nothing where that is empty.
  std::optional<std::size_t> cell(std::size_t tile) const {
    return tile < cellOf.size() && cellOf[tile] != kNone
               ? std::optional<std::size_t>(cellOf[tile])
               : std::nullopt;
  }
  /// Which of the ranges along `dim` a cell has.
  std::size_t place(std::size_t cell, std::size_t dim) const {
    return cell / strides[dim] % ranges[dim].size();
  }
  /// The cell that has these ranges.
  std::size_t cellAt(const FixedVector<std::size_t, kMaxRank> &places) const {
    std::size_t cell = 0;
    for (std::size_t dim = 0; dim < places.size(); ++dim)
      cell += strides[dim] * places[dim];
    return cell;
  }
  const Range &range(std::size_t cell, std::size_t dim) const {
    return ranges[dim][place(cell, dim)];
  }
  int64_t volume(std::size_t cell) const;
  /// How many tiles have that cell as their box.
  int64_t holderCount(std::size_t cell) const { return holders[cell]; }
  int64_t mostHolders() const;

private:
  static constexpr std::size_t kNone = ~std::size_t(0);

  bool findRanges(const Placement &placement);
  bool findCells(const Placement &placement);

  FixedVector<std::vector<Range>, kMaxRank> ranges;
  FixedVector<std::size_t, kMaxRank> strides;
  std::vector<std::size_t> cellOf;
  std::vector<int64_t> holders;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_CELLGRID_H
