// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzing of the planner: a random pair of distributions is planned and checked
// without running anything.

#ifndef NPU_FUZZ_PLANS_PLANCASE_H
#define NPU_FUZZ_PLANS_PLANCASE_H

#include "npu-fuzz/Plans/Isolated.h"
#include "npu/Placement/Distributions/Padding.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

namespace npu {

struct PlanCase {
  Extents shape;
  Distribution source;
  Distribution target;
  Padding padding;
  /// How many elements share a byte, which no box of either side cuts.
  int64_t perByte = 1;
  /// Of three cases in four, all tiles are of one.
  Machines machines;
};

/// A random case of rank 1 to 5 (at times a scalar), mostly on 1 to 8 tiles, at
/// times on up to 40, every third with padding, and with several elements in a
/// byte where the boxes allow it; every fourth on machines of 1 to 4 tiles. It
/// depends on `seed` and `number` alone.
PlanCase randomPlanCase(uint64_t seed, uint64_t number);

/// Both placements, tile by tile, what is padding, and how many elements share
/// a byte.
std::string toString(const PlanCase &planCase);

/// Plans the redistribution, the load of the target and the store of the
/// source, and checks the plans and the forms of both distributions
/// (CheckPlan.h), on several machines once more for these. With `dropTransfer`
/// the last transfer of each plan is taken out before, to see that the check
/// can fail.
CaseResult runPlanCase(const PlanCase &planCase, bool dropTransfer);

} // namespace npu

#endif // NPU_FUZZ_PLANS_PLANCASE_H
