// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in its loops a step is, and what that says of slices of padded tensors:
// a step at a border of the tensor loads what there is, and tiles add the rest.
//
// Example: rows of a 3x3 convolution, 16 of 56 in a step, of an image with a
// row of zeros above and below. The first step loads 17 rows and adds one
// above, two rounds of a loop load 18 rows, and the last step loads the last 9
// rows and adds one below.

#ifndef NPU_ANALYSIS_CHOICES_STEPPLACE_H
#define NPU_ANALYSIS_CHOICES_STEPPLACE_H

#include "npu/Analysis/Choices/StepGroup.h"

namespace npu {

/// The iterations that a step runs of each loop of the last operation.
struct StepPlace {
  /// The first one; nothing in the rounds of a loop, in none of which an end of
  /// a padded dimension is.
  llvm::SmallVector<std::optional<int64_t>> begins;
  llvm::SmallVector<int64_t> counts;

  /// All iterations of an operation.
  static StepPlace all(mlir::linalg::LinalgOp op);
};

/// Steps one after the other.
struct StepRounds {
  int64_t begin = 0;
  int64_t size = 0;
  int64_t rounds = 1;
};

/// The steps of the loop `steps.loops[level]`, where the loops around it are at
/// `place`. Rounds follow each other in a loop: all of them have as many
/// iterations, and none is at a border of a padded tensor.
std::vector<StepRounds> roundsAt(const StepGroup &group,
                                 const OperationSteps &steps, size_t level,
                                 const StepPlace &place);

/// What tiles add at both ends of each dimension of a slice.
struct AddedEntries {
  llvm::SmallVector<int64_t> low, high;

  bool any() const;
  /// The slice of this shape without them.
  llvm::SmallVector<int64_t> removedFrom(llvm::ArrayRef<int64_t> shape) const;
};

/// What tiles add to the slice of an operand: nothing where the operand is not
/// padded in steps.
AddedEntries addedAt(const StepGroup &group, StepUse use,
                     const StepPlace &place);

/// Whether every step reads entries of what is padded, and not a border alone.
bool readsInsideOfPads(const StepGroup &group, const OperationSteps &steps);

/// The type under which tiles hold a slice before they add to it: each what its
/// part of `padded` has of it.
mlir::RankedTensorType typeBeforePad(mlir::RankedTensorType padded,
                                     const AddedEntries &added);

/// The slice with what `pad` adds to it, under `type`.
mlir::Value padSlice(mlir::OpBuilder &builder, mlir::Operation *pad,
                     mlir::Value slice, mlir::RankedTensorType type,
                     const AddedEntries &added);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_STEPPLACE_H
