// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributions for many tiles, for tests and benchmarks of how plans grow.

#ifndef NPU_TEST_UNIT_PLACEMENT_LAYOUTS_H
#define NPU_TEST_UNIT_PLACEMENT_LAYOUTS_H

#include "npu/Placement/Distributions/Distribution.h"

namespace npu {

inline Distribution split(Extents tiles, int64_t copies = 1) {
  Distribution result;
  result.mode = Mode::Segmented;
  result.tiles = tiles;
  result.copies = copies;
  return result;
}

inline Distribution duplicated(int64_t tiles) {
  Distribution result;
  result.mode = Mode::Duplicated;
  result.tileCount = tiles;
  return result;
}

inline Distribution ceil(Distribution distribution) {
  distribution.split = Split::Ceil;
  return distribution;
}

/// Windows of three rows, and a row of padding at each end.
inline Distribution halo(Distribution distribution) {
  distribution.mode = Mode::Overlapped;
  distribution.windows = {{0, 3, 1, 1, 1, 1}};
  return distribution;
}

} // namespace npu

#endif // NPU_TEST_UNIT_PLACEMENT_LAYOUTS_H
