// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What slices cross between machines: DDR is the first machine's.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_STEPCROSSINGS_H
#define NPU_LIB_ANALYSIS_CANDIDATES_STEPCROSSINGS_H

#include "StepSlice.h"
#include "npu/Target/PlanCost.h"

#include <map>
#include <tuple>

namespace npu {

class StepCrossings {
public:
  explicit StepCrossings(const Target &target) : target(target) {}

  /// The parts of a slice that go from DDR to tiles, or from tiles to DDR: a
  /// part that is loaded crosses to each machine of which a tile has it, and
  /// one that is stored where no tile of the first machine does.
  DdrParts partsOf(const StepSlice &slice, const StepSplit &split,
                   Direction direction);

private:
  void countCrossings(DdrParts &parts, const StepSlice &slice,
                      const StepSplit &split, Direction direction) const;

  const Target &target;
  /// By the split and by the loops that change the slice.
  std::map<std::tuple<StepSplit, llvm::SmallVector<bool>, Direction>, DdrParts>
      known;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_STEPCROSSINGS_H
