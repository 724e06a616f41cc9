// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of a tensor somebody has written since it was empty. Functions
// with layouts and tile programs are asked the same question.

#ifndef NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
#define NPU_ANALYSIS_ACCESS_WRITTENPARTS_H

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

/// Follows a tensor to where it was empty, on each way by which it can have
/// come through loops and branches: what was written into it there. Ways on
/// which all of it is written, or on which nobody can tell, are left out; so
/// are parts that are padding, which may be anything and is read as that.
llvm::SmallVector<WrittenBoxes, 1> waysWritten(mlir::Value value);

/// What an operation reads of an operand; nothing where it overwrites it, or
/// where only its shape counts (a pooling window).
std::optional<Box> boxRead(mlir::Operation *op, mlir::OpOperand &operand);

/// What only moves may move nothing at all, and a call may be given nothing to
/// write into.
bool mayMoveNothing(mlir::Operation *op);

/// The tensor.empty that a tensor is, or of which it is a part or another view;
/// null for others.
mlir::Operation *emptyBehind(mlir::Value value);

/// Whether a tensor is a tensor.empty, or a part of one or another view of it.
bool isMadeOfNothing(mlir::Value value);

/// Whether an operation only moves, or looks at, what nobody has written, and
/// has a result of static shape: lowering makes a tensor.empty instead of it.
bool isRemadeAsEmpty(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
