// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes that steps of a loop may have: few to choose from first, and all
// that a choice is refined by. Engines work on granules of rows and channels,
// of which a step has whole ones as long as the loop has some.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_STEPSIZES_H
#define NPU_LIB_ANALYSIS_CANDIDATES_STEPSIZES_H

#include <cstdint>
#include <vector>

namespace npu {

/// A loop that may be cut.
struct CutLoop {
  int64_t extent = 1;
  /// The iterations between places where a step may begin.
  int64_t multiple = 1;
  /// The tiles over which a step may be split in this loop.
  int64_t tiles = 1;
};

/// All of the loop, a half, a third, a quarter, and then ever larger numbers of
/// steps, down to the least step; the largest size first. Where that is
/// possible, each tile has whole granules.
std::vector<int64_t> coarseStepSizes(const CutLoop &loop);

/// Every size that makes another number of steps; the largest first.
std::vector<int64_t> allStepSizes(const CutLoop &loop);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_STEPSIZES_H
