// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What npu-plan-scratchpad says about a plan.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADREPORT_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADREPORT_H

#include "LargestPrompt.h"
#include "PlanFunctions.h"

#include "npu/Target/Target.h"

namespace npu {

/// One buffer that is in use at the peak.
struct InUseAtPeak {
  int64_t offset = 0;
  int64_t bytes = 0;
  /// "memref<4xf32, 1>", or "@callee" for what a call needs.
  std::string what;
  mlir::Location location;
};

/// The operation at which most is in use.
mlir::Operation *operationAtPeak(const TileBuffers &tile);

/// What is in use there, largest first.
std::vector<InUseAtPeak> inUseAtPeak(const TileBuffers &tile);

/// `largest` is the largest prompt that fits, where somebody asked.
std::string textReport(llvm::ArrayRef<PlannedFunction> functions,
                       const std::optional<Target> &target,
                       const std::optional<LargestPrompt> &largest);
std::string jsonReport(llvm::ArrayRef<PlannedFunction> functions,
                       const std::optional<Target> &target,
                       const std::optional<LargestPrompt> &largest);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADREPORT_H
