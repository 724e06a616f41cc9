// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step of operations runs, on slices, in a block of its own: so that it
// can be asked what operations are asked that stand in a function.

#ifndef NPU_ANALYSIS_CHOICES_STEPPROBE_H
#define NPU_ANALYSIS_CHOICES_STEPPROBE_H

#include "npu/Analysis/Choices/StepPlace.h"

namespace npu {

/// One operation on slices without layouts, whose operands are arguments of the
/// block.
class StepProbe {
public:
  StepProbe(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> iterations);

  mlir::linalg::LinalgOp operation() { return made; }

private:
  mlir::Block block;
  mlir::linalg::LinalgOp made;
};

/// The operations of a group that stand in one loop, on slices with layouts,
/// the pads of what is loaded there, and the moves between them. What is
/// loaded, and what is made further outside, are arguments of the block.
class GroupProbe {
public:
  GroupProbe(const StepGroup &group, const OperationSteps &steps, size_t level,
             const StepPlace &place);

  /// Whether every layout fits its slice.
  bool isValid() const { return valid; }
  mlir::Block &operations() { return block; }

private:
  mlir::Block block;
  /// What reads the results of pads in loops further inside.
  mlir::Block inside;
  bool valid = true;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_STEPPROBE_H
