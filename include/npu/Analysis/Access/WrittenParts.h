// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of a tensor have been written since it was a tensor.empty.
// Verification asks this of functions with layouts and of tile programs.

#ifndef NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
#define NPU_ANALYSIS_ACCESS_WRITTENPARTS_H

#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace npu {

/// The values that `value`, a result or block argument of a loop or a branch,
/// may be: what the branches yield, or what a loop begins with and what its
/// iterations yield. A loop that is known to run has as its result only what
/// its last iteration yields. No values where `value` comes from no loop or
/// branch that is known.
llvm::SmallVector<mlir::Value> handedOnAs(mlir::Value value);

/// Whether `op` is a loop, a branch or the terminator of one, which hands
/// values on to the operations that read them.
bool handsOn(mlir::Operation *op);

/// Boxes that were written into a tensor, in its own coordinates.
using WrittenBoxes = llvm::SmallVector<Box>;

/// Follows a tensor back to the tensor.empty that it began as, on each way by
/// which it can have come through loops and branches, and gives for each way
/// the boxes that were written. Ways on which the whole tensor is written, or
/// on which the written part is not known, are left out; so are parts that are
/// padding, which may hold anything.
llvm::SmallVector<WrittenBoxes, 1> waysWritten(mlir::Value value);

/// The box that `op` reads of `operand`; nothing where `op` overwrites the
/// operand, or where only the operand's shape counts (a pooling window).
std::optional<Box> boxRead(mlir::Operation *op, mlir::OpOperand &operand);

/// Whether `op` may be given tensors that nobody has written: an operation that
/// only moves data then moves nothing, and a call may be given a tensor to
/// write into.
bool mayMoveNothing(mlir::Operation *op);

/// The tensor.empty that a tensor is, or of which it is a part or another view;
/// null for others.
mlir::Operation *emptyBehind(mlir::Value value);

/// Whether a tensor is a tensor.empty, or a part of one or another view of it.
bool isMadeOfNothing(mlir::Value value);

/// Whether `op` only moves or views an unwritten tensor, and has a result of
/// static shape: lowering replaces it by a tensor.empty.
bool isRemadeAsEmpty(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_WRITTENPARTS_H
