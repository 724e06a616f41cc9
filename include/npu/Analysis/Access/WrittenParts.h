// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of a tensor somebody has written since it was empty. Functions
// with layouts and tile programs are asked the same question.

#ifndef NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
#define NPU_ANALYSIS_ACCESS_WRITTENPARTS_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace npu {

/// What a loop or a branch hands on as this value: the values that it may be;
/// nothing where it comes from no loop or branch that is known. A loop that
/// runs has as its result what its last iteration yields.
llvm::SmallVector<mlir::Value> handedOnAs(mlir::Value value);

/// Boxes that were written into a tensor, in its own coordinates.
using WrittenBoxes = llvm::SmallVector<Box>;

/// Answers for many values of IR that does not change: what lies behind moves
/// in a row is remembered.
class WrittenParts {
public:
  explicit WrittenParts(EmptyOrigins &origins) : origins(origins) {}

  /// Follows a tensor to where it was empty, on each way by which it can have
  /// come through loops and branches: what was written into it there. Ways on
  /// which all of it is written, or on which nobody can tell, are left out; so
  /// are parts that are padding, which may be anything and is read as that.
  llvm::SmallVector<WrittenBoxes, 1> waysWritten(mlir::Value value);

private:
  class Collector;

  /// The value that moves and views in a row hand on as this one, in the same
  /// coordinates; `value` where there are none.
  mlir::Value behindMoves(mlir::Value value);

  EmptyOrigins &origins;
  llvm::DenseMap<mlir::Value, mlir::Value> moved;
};

/// What an operation reads of an operand; nothing where it overwrites it, or
/// where only its shape counts (a pooling window).
std::optional<Box> boxRead(mlir::Operation *op, mlir::OpOperand &operand);

/// What only moves may move nothing at all, and a call may be given nothing to
/// write into.
bool mayMoveNothing(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
