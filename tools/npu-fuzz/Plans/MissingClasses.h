// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements that a redistribution has to move: those that some tile misses,
// classified by the tiles that hold them and those that miss them.

#ifndef NPU_FUZZ_PLANS_MISSINGCLASSES_H
#define NPU_FUZZ_PLANS_MISSINGCLASSES_H

#include "npu/Placement/Distributions/Placement.h"

#include <cstdint>
#include <vector>

namespace npu {

struct MissingClass {
  /// Sets of tiles: bit t is set for tile t.
  uint64_t holders = 0;
  uint64_t missing = 0;
  std::vector<Box> elements;
  Box hull;
};

std::vector<MissingClass> missingClasses(const Placement &source,
                                         const Placement &target);

} // namespace npu

#endif // NPU_FUZZ_PLANS_MISSINGCLASSES_H
