// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step of operations runs, on slices, in a block of its own: so that it
// can be asked what operations are asked that stand in a function.

#ifndef NPU_ANALYSIS_CHOICES_STEPPROBE_H
#define NPU_ANALYSIS_CHOICES_STEPPROBE_H

#include "npu/Analysis/Choices/StepGroup.h"

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
/// and the moves between them. What is loaded, and what is made further
/// outside, are arguments of the block.
class GroupProbe {
public:
  /// `iterations` are those of the last operation.
  GroupProbe(const StepGroup &group, const OperationSteps &steps, size_t level,
             llvm::ArrayRef<int64_t> iterations);

  /// Whether every layout fits its slice.
  bool isValid() const { return valid; }
  mlir::Block &operations() { return block; }

private:
  mlir::Block block;
  bool valid = true;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_STEPPROBE_H
