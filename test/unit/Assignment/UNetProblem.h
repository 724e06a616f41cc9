// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignment problems as U-Nets make them: a way down, a way up, and between
// them skips, each of which joins a step of one to a step of the other. The
// first skip is live from the beginning to the end, the last one for a moment,
// and in the middle all of them are.

#ifndef NPU_TEST_UNIT_ASSIGNMENT_UNETPROBLEM_H
#define NPU_TEST_UNIT_ASSIGNMENT_UNETPROBLEM_H

#include "npu/Assignment/Problem.h"

#include <cstdint>
#include <random>

namespace npu {

struct UNetShape {
  int skips = 20;
  /// Of each tensor; of the skips each has up to `shrink` percent less than the
  /// one before.
  int64_t bytes = int64_t{1} << 16;
  int shrink = 0;
  /// Whether a step up may load its skip from DDR, where the step down has
  /// stored it.
  bool spills = false;
  /// The number of layouts of each tensor that candidates make, 1 to 5.
  int layouts = 5;
  /// Up to so much is added to each cost by chance.
  int64_t noise = 0;
  /// Bytes of each of the four scratchpads.
  int64_t scratchpad = 0;
};

/// 3 operations for each skip: one that makes it, one that adds it on the way
/// up, and one after that; and one in the middle.
AssignmentProblem uNetProblem(const UNetShape &shape, std::mt19937 &random);

/// The least bytes of a scratchpad in which the problem has an assignment:
/// tensors divided evenly by every operation.
int64_t leastScratchpad(const UNetShape &shape);

} // namespace npu

#endif // NPU_TEST_UNIT_ASSIGNMENT_UNETPROBLEM_H
