// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of npu-plan-scratchpad about a plan.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADREPORT_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADREPORT_H

#include "LargestPrompt.h"
#include "PlanFunctions.h"

#include "npu/Target/Target.h"

namespace npu {

/// A buffer that is in use at the peak.
struct InUseAtPeak {
  int64_t offset = 0;
  int64_t bytes = 0;
  /// "memref<4xf32, 1>", or "@callee" for the arena of a call.
  std::string what;
  mlir::Location location;
};

/// The operation at which the most bytes are in use.
mlir::Operation *operationAtPeak(const TileBuffers &tile);

/// The buffers in use at that operation, largest first.
std::vector<InUseAtPeak> inUseAtPeak(const TileBuffers &tile);

/// The report as text or JSON. `largest` is the largest prompt that fits, where
/// an option asks for it.
std::string textReport(llvm::ArrayRef<PlannedFunction> functions,
                       const std::optional<Target> &target,
                       const std::optional<LargestPrompt> &largest);
std::string jsonReport(llvm::ArrayRef<PlannedFunction> functions,
                       const std::optional<Target> &target,
                       const std::optional<LargestPrompt> &largest);

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_SCRATCHPADREPORT_H
