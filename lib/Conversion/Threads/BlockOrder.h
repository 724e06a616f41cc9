// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the operations of a block in another order.

#ifndef NPU_LIB_CONVERSION_THREADS_BLOCKORDER_H
#define NPU_LIB_CONVERSION_THREADS_BLOCKORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace npu {

/// The new order of a block, made by placing one operation after the other.
/// What is made where it is used comes in front of its first user.
class BlockOrder {
public:
  explicit BlockOrder(mlir::Block &block);

  /// Moves an operation to the end of the new order, and before it the
  /// operations that define its operands.
  void place(mlir::Operation *op);

  /// Ends the order: places what the terminator and other blocks use, and
  /// erases what is made where it is used and was not.
  void finish();

  /// The operation of this block that defines the value, if it is made where it
  /// is used.
  mlir::Operation *madeHere(mlir::Value value) const;

private:
  void requireOperands(mlir::Operation *op);

  mlir::Block &block;
  llvm::SmallVector<mlir::Operation *> made;
  llvm::SmallPtrSet<mlir::Operation *, 32> placed;
};

/// Calls `visit` for the operands of the operation and of those inside it.
void forEachOperand(mlir::Operation *root,
                    llvm::function_ref<void(mlir::OpOperand &)> visit);

} // namespace npu

#endif // NPU_LIB_CONVERSION_THREADS_BLOCKORDER_H
