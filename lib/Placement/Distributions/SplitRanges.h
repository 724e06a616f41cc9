// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges that a split of one dimension gives to tiles.

#ifndef NPU_LIB_PLACEMENT_DISTRIBUTIONS_SPLITRANGES_H
#define NPU_LIB_PLACEMENT_DISTRIBUTIONS_SPLITRANGES_H

#include "npu/Placement/Distributions/Placement.h"

namespace npu {

/// How one dimension is split.
struct DimensionSplit {
  int64_t extent = 0;
  int64_t count = 1;
  Split split = Split::Balanced;
  int64_t alignment = 1;
};

/// The range that tile `index` along the dimension computes.
Range computeRange(const DimensionSplit &split, int64_t index);

/// The range that this tile holds: the range that it computes, joined with the
/// inputs that its outputs of each reader read. Only windows on `dim` count.
Range memoryRange(const DimensionSplit &split, int64_t index,
                  std::span<const Window> windows, int64_t dim);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_DISTRIBUTIONS_SPLITRANGES_H
