// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What splitting one dimension gives each of the tiles along it.

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

/// What tile `index` of those along the dimension computes.
Range computeRange(const DimensionSplit &split, int64_t index);

/// What it holds: its part, joined with what its outputs of each reader read.
/// `windows` may hold windows of other dimensions; only those on `dim` count.
Range memoryRange(const DimensionSplit &split, int64_t index,
                  std::span<const Window> windows, int64_t dim);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_DISTRIBUTIONS_SPLITRANGES_H
