// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation in steps costs, and what its steps hold on tiles: the sum
// of what its loops cost after npu-run-in-steps.

#ifndef NPU_ANALYSIS_COSTS_STEPCOSTS_H
#define NPU_ANALYSIS_COSTS_STEPCOSTS_H

#include "npu/Analysis/Choices/StepGroup.h"
#include "npu/Analysis/Costs/ModelledCost.h"

#include <vector>

namespace npu {

struct StepsCost {
  /// Cycles of the loads, the work and the stores of all steps, those of one
  /// under those of others where buffers have two slots (StreamCycles.h), and
  /// the bytes that tiles receive or store. Tensors that have a layout are on
  /// tiles before and after.
  ModelledCost cost;
  /// Types of slices that are on tiles at the same time, each as often as its
  /// buffer has slots; one list for every time that may be the fullest. Tensors
  /// that have a layout are left out.
  std::vector<std::vector<mlir::RankedTensorType>> held;
};

/// Nothing where tiles cannot run every step: a layout does not fit a slice, or
/// a tile does not hold what it reads. `isOnTiles` says which inputs, and of
/// the last operation which output, lie on tiles as a whole.
std::optional<StepsCost>
costInSteps(const StepGroup &group, const OperationSteps &steps,
            llvm::function_ref<bool(StepUse)> isOnTiles, const Target &target);

/// The same where types say what lies on tiles.
std::optional<StepsCost> costInSteps(const StepGroup &group,
                                     const OperationSteps &steps,
                                     const Target &target);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_STEPCOSTS_H
