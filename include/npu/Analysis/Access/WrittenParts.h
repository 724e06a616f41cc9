// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of a tensor have been written since it was a tensor.empty.
// Verification asks this of functions with layouts and of tile programs.

#ifndef NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
#define NPU_ANALYSIS_ACCESS_WRITTENPARTS_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace npu {

/// The values that `value`, a result or block argument of a loop or a branch,
/// may be: what the branches yield, or what a loop begins with and what its
/// iterations yield. An scf.for has as its result only what its last iteration
/// yields, or, where it is known never to run, what it begins with. No values
/// where `value` comes from no loop or branch that is known.
llvm::SmallVector<mlir::Value> handedOnAs(mlir::Value value);

/// Whether `op` is a loop, a branch or the terminator of one, which hands
/// values on to the operations that read them.
bool handsOn(mlir::Operation *op);

/// Boxes that were written into a tensor, in its own coordinates.
using WrittenBoxes = llvm::SmallVector<Box>;

/// Answers which parts of many values have been written. It remembers what lies
/// after chains of moves, so that the IR must not change meanwhile.
class WrittenParts {
public:
  explicit WrittenParts(EmptyOrigins &origins) : origins(origins) {}

  /// Follows a tensor back to the tensor.empty that it began as, on each way by
  /// which it can have come through loops and branches, and gives for each way
  /// the boxes that were written. Ways on which the whole tensor is written, or
  /// on which the written part is not known, are left out; so are parts that
  /// are padding, which may hold anything.
  llvm::SmallVector<WrittenBoxes, 1> waysWritten(mlir::Value value);

private:
  class Collector;

  /// The value that a chain of moves and views ends with, followed back from
  /// `value` in the same coordinates; `value` itself where there is no such
  /// chain.
  mlir::Value afterMoves(mlir::Value value);

  EmptyOrigins &origins;
  llvm::DenseMap<mlir::Value, mlir::Value> moved;
};

/// The box that `op` reads of `operand`; nothing where `op` overwrites the
/// operand, or where only the operand's shape counts (a pooling window).
std::optional<Box> boxRead(mlir::Operation *op, mlir::OpOperand &operand);

/// Whether `op` may be given tensors that nobody has written: an operation that
/// only moves data then moves nothing, and a call may be given a tensor to
/// write into.
bool mayMoveNothing(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
