// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps in which an operation runs on slices of its tensors, as the
// attribute `npu.steps` says them: chosen by npu-assign-distributions, or
// written by hand, and made loops of by npu-run-in-steps.
//
// Example, linalg.matmul of 512x3584 and 3584x18944 on four tiles: loops
// {1, 2} and sizes {2368, 256} make steps of all rows, 2,368 columns and 256
// terms of each sum.

#ifndef NPU_ANALYSIS_CHOICES_OPERATIONSTEPS_H
#define NPU_ANALYSIS_CHOICES_OPERATIONSTEPS_H

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Placement/Result.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

struct OperationSteps {
  /// The loops that are cut, the outermost first, those that reduce last.
  llvm::SmallVector<int64_t> loops;
  /// For each of them, the iterations of a step. The last step has what is
  /// left.
  llvm::SmallVector<int64_t> sizes;
  /// For each of them, the slots of the buffers that a round of its loop fills:
  /// slot k mod 2 in round k lets slices of the next round arrive while tiles
  /// work on those of this one.
  llvm::SmallVector<int64_t> slots;
  /// For each operand, the layout in which a step holds its slice, and for an
  /// output that of the result's; null for what is no tensor, or of which only
  /// the shape is read.
  llvm::SmallVector<LayoutAttr> layouts;
  /// For each operation that runs in the same steps before this one
  /// (StepGroup.h), in program order, the layouts of its operands likewise.
  std::vector<llvm::SmallVector<LayoutAttr>> before;

  /// The number of the first loop in `loops` that reduces.
  size_t firstReduction(mlir::linalg::LinalgOp op) const;

  /// As `npu.steps`.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
  /// As `npu.steps` of operation `number` before this one.
  mlir::DictionaryAttr attributeBefore(mlir::MLIRContext *context,
                                       size_t number) const;
  /// As `npu.steps` of a pad of what one of the operations reads.
  static mlir::DictionaryAttr attributeOfPad(mlir::MLIRContext *context);
};

/// Whether the operation has steps: a loop or an insertion that is made of
/// steps has a mark of the same name (StoresInPlace.h).
bool hasSteps(mlir::Operation *op);

/// What `npu.steps` of the operation says. An error where steps do not fit it:
///
/// * shapes are static and not empty, and there is one result, a tensor;
/// * entries of operands are at sums of loops, so that a slice is a box;
/// * a loop that reduces is cut only where those before it are single
///   iterations or done one by one, so that sums keep their order;
/// * tensors that are cut are in DDR, and others there or under the layout that
///   the steps have for them;
/// * each step reads more of a padded tensor than its pad.
///
/// Of an operation in the steps of its reader there are no loops, and the rest
/// is that one's; an error where no operation after it has its slices made.
Result<OperationSteps> readSteps(mlir::linalg::LinalgOp op);

/// Nothing wrong, or why `npu.steps` of the operation does not fit it: of what
/// readSteps() reads, and of pads in the steps of their readers.
Result<> checkSteps(mlir::Operation *op);

/// Whether steps load the slices of the output: what is overwritten as a whole,
/// or has one value everywhere, is made on tiles.
bool loadsOutput(mlir::linalg::LinalgOp op);

/// The error at an operation whose `npu.steps` is refused; failure.
mlir::LogicalResult refuseSteps(mlir::Operation *op, const Error &why);

/// The error at an operation that should be loops by now; failure.
mlir::LogicalResult refuseWithoutLoops(mlir::Operation *op);

/// The shape of an operand's slice, where each loop runs so many iterations.
/// Precondition: steps may cut the operation.
llvm::SmallVector<int64_t> sliceShape(mlir::AffineMap map,
                                      llvm::ArrayRef<int64_t> iterations);

/// Nothing wrong, or why the operation can have no steps at all.
Result<> mayRunInSteps(mlir::linalg::LinalgOp op);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_OPERATIONSTEPS_H
