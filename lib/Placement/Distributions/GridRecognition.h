// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognition of a grid of tiles in a list of boxes.

#ifndef NPU_LIB_PLACEMENT_DISTRIBUTIONS_GRIDRECOGNITION_H
#define NPU_LIB_PLACEMENT_DISTRIBUTIONS_GRIDRECOGNITION_H

#include "npu/Placement/Distributions/Placement.h"

namespace npu {

/// A guess of how a list of boxes is numbered. Callers place the distribution
/// that they make of it, and compare the boxes.
struct Grid {
  Extents tiles;
  Permutation major;
  int64_t copies = 1;
  /// For each dimension the number of grid positions between neighbours along
  /// it.
  Extents strides;

  /// The coordinate of a tile along a dimension of the grid.
  int64_t coordinate(std::size_t tile, std::size_t dim) const {
    return static_cast<int64_t>(tile) / copies / strides[dim] % tiles[dim];
  }
};

/// The grid whose numbering the borders of the boxes suggest; nothing where
/// they suggest none.
std::optional<Grid> guessGrid(const Extents &shape,
                              const std::vector<Box> &boxes);

/// The SEGMENTED short form with exactly these compute boxes; nothing where
/// there is none. Balanced splits are preferred to ceil splits, and then those
/// without alignments to those with some.
std::optional<Distribution> findSplit(const Extents &shape,
                                      const std::vector<Box> &boxes);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_DISTRIBUTIONS_GRIDRECOGNITION_H
