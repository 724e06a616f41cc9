// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that run in the same steps: the last one, whose loops the steps
// are cut from, and those before it of which each step makes the slices that it
// reads, on tiles, so that they go to DDR neither as a whole nor in parts.
//
// Example: of a product of scores, a softmax and a product with values, steps
// of 64 rows of the last one make 64 rows of the scores and of everything
// between. Their rows stay whole. Of a gated perceptron, steps of 512 terms of
// the last product make 512 columns of both products before it and of what is
// between. Of a convolution of a padded image, each step pads the rows that it
// has loaded (StepPlace.h).

#ifndef NPU_ANALYSIS_CHOICES_STEPGROUP_H
#define NPU_ANALYSIS_CHOICES_STEPGROUP_H

#include "npu/Analysis/Choices/OperationSteps.h"

namespace npu {

/// An operation of a group.
struct StepMember {
  mlir::linalg::LinalgOp op;
  /// For each of its loops, the loop of the last operation of which it runs the
  /// same iterations; -1 where it runs all of its iterations in every step.
  llvm::SmallVector<int64_t> loops;
  /// All iterations of its loops.
  llvm::SmallVector<int64_t> extents;

  /// The iterations that it runs while the last operation runs `last`.
  llvm::SmallVector<int64_t> iterations(llvm::ArrayRef<int64_t> last) const;
  /// Whether what this map reads or makes of the operation's loops changes with
  /// a loop of the last operation.
  bool changesWith(mlir::AffineMap map, int64_t lastLoop) const;
  /// The same of one dimension.
  bool changesWith(mlir::AffineExpr at, int64_t lastLoop) const;
};

/// Where a member reads a slice.
struct StepUse {
  size_t member = 0;
  unsigned operand = 0;

  friend bool operator==(const StepUse &, const StepUse &) = default;
};

class StepGroup {
public:
  /// The operation by itself.
  static StepGroup of(mlir::linalg::LinalgOp op);
  /// The group that `npu.steps` of the operation and of those before it say.
  static StepGroup marked(mlir::linalg::LinalgOp last);
  /// The largest group that ends with the operation: of the operations whose
  /// results the group alone reads, all up to the first product, convolution or
  /// pooling before the last operation. Only the operation itself where nothing
  /// can be made in its steps. Pads of what these operations alone read are in
  /// it.
  static StepGroup before(mlir::linalg::LinalgOp last);

  /// In program order; the last operation is the last.
  llvm::ArrayRef<StepMember> members() const { return found; }
  const StepMember &last() const { return found.back(); }
  size_t size() const { return found.size(); }

  /// The pads of what the members read: steps load slices of the tensors before
  /// these pads, and add to them on tiles.
  llvm::ArrayRef<mlir::Operation *> pads() const { return padded; }
  /// The pad whose result the operand is; null where it is none of pads().
  mlir::Operation *padOf(StepUse use) const;

  /// The loops of the last operation that no step cuts, because two members
  /// that read the same slice would want different parts of it.
  llvm::ArrayRef<int64_t> wholeLoops() const { return whole; }

  /// The iterations of a loop of the last operation between places where a step
  /// may begin, by all tensors of all members (`multipleOfCuts`).
  int64_t multipleOf(int64_t lastLoop) const;

  /// The member whose result the operand is; nothing where it is read from
  /// outside of the group.
  std::optional<size_t> makerOf(StepUse use) const;
  mlir::OpOperand &operandOf(StepUse use) const;
  mlir::AffineMap mapOf(StepUse use) const;
  /// The output operand of a member.
  StepUse outputOf(size_t member) const;
  /// For each dimension of an operand, the entries between two iterations of
  /// each of the member's loops.
  llvm::SmallVector<llvm::SmallVector<int64_t>> stridesOf(StepUse use) const;
  /// The inputs of all members that are tensors, in program order.
  llvm::SmallVector<StepUse> inputs() const;
  /// Whether both read the same entries of the same tensor in every step, where
  /// these loops of the last operation are cut.
  bool readSame(StepUse a, StepUse b, llvm::ArrayRef<int64_t> cut) const;

  /// Whether an operand is all that steps read of its tensor, and no step
  /// changes that: it may have a layout. Windows with strides may leave out the
  /// end.
  bool isWhole(const OperationSteps &steps, StepUse use) const;

  /// The layout of an operand's slice.
  static LayoutAttr layoutOf(const OperationSteps &steps, StepUse use);
  /// The layout in which a member makes its slices.
  LayoutAttr layoutMade(const OperationSteps &steps, size_t member) const;
  /// In how many loops, from the outermost on, the slice of an operand has to
  /// be made or loaded: the next one does not change it, nor does any further
  /// inside.
  size_t levelOf(const OperationSteps &steps, StepUse use) const;
  /// The same of what a member makes; of the last one, all loops.
  size_t levelOf(const OperationSteps &steps, size_t member) const;
  /// What steps bring to tiles, each with all that read the same slice under
  /// the same layout.
  std::vector<llvm::SmallVector<StepUse, 1>>
  slicesIn(const OperationSteps &steps) const;

private:
  using Accepts = llvm::function_ref<bool(mlir::linalg::LinalgOp)>;
  using AcceptsPad = llvm::function_ref<bool(mlir::Operation *)>;
  static StepGroup grow(mlir::linalg::LinalgOp last, Accepts accepts,
                        AcceptsPad acceptsPad);
  void findPads(AcceptsPad accepts);

  std::vector<StepMember> found;
  llvm::SmallVector<mlir::Operation *, 1> padded;
  llvm::SmallVector<int64_t, 1> whole;
  llvm::DenseMap<mlir::Operation *, size_t> numberOf;
};

/// A slice on tiles under another layout: moved, or cast where no data moves.
mlir::Value bringBetweenTiles(mlir::OpBuilder &builder, mlir::Value slice,
                              mlir::RankedTensorType type);

/// Whether the operation's slices are made in the steps of an operation after
/// it: its `npu.steps` has layouts and nothing else.
bool isInStepsOfReader(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_STEPGROUP_H
