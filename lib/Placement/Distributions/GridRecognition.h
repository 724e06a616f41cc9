// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a grid of tiles back from its boxes.

#ifndef NPU_LIB_PLACEMENT_DISTRIBUTIONS_GRIDRECOGNITION_H
#define NPU_LIB_PLACEMENT_DISTRIBUTIONS_GRIDRECOGNITION_H

#include "npu/Placement/Distributions/Placement.h"

namespace npu {

/// How a list of boxes seems to be numbered. A guess: whoever uses it places
/// the distribution made of it and compares.
struct Grid {
  Extents tiles;
  Permutation major;
  int64_t copies = 1;
  /// Per dimension: how many grid positions lie between neighbours along it.
  Extents strides;

  /// Where a tile stands along a dimension.
  int64_t coordinate(std::size_t tile, std::size_t dim) const {
    return static_cast<int64_t>(tile) / copies / strides[dim] % tiles[dim];
  }
};

/// Nothing for boxes that no grid numbers, as far as their borders show.
std::optional<Grid> guessGrid(const Extents &shape,
                              const std::vector<Box> &boxes);

/// The SEGMENTED short form with exactly these compute boxes: balanced before
/// ceil, without alignments before with them.
std::optional<Distribution> findSplit(const Extents &shape,
                                      const std::vector<Box> &boxes);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_DISTRIBUTIONS_GRIDRECOGNITION_H
