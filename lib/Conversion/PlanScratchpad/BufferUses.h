// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a buffer is in use, and whether an operation may overwrite it with its
// result.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_BUFFERUSES_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_BUFFERUSES_H

#include "../Buffers/BufferFlow.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// The uses of the buffers of a function. Steps are the numbers of the
/// operations of the function's body; an operation inside of another one has
/// the other's step. In a body of several blocks any step may follow any other,
/// so that all buffers are in use throughout.
class BufferUses {
public:
  explicit BufferUses(mlir::func::FuncOp function);

  struct Lifetime {
    int64_t first = 0;
    int64_t last = 0;
  };

  /// The steps from the first to the last operation that touches the buffer or
  /// a possible alias of it; all steps where it escapes. An error where the
  /// buffer leaves the function, or where it may be handed to the next
  /// iteration of a loop, in which its place is used again.
  mlir::FailureOr<Lifetime> lifetime(mlir::Value buffer);

  /// The same steps of a buffer that may leave the function, or go through
  /// loops, where all of it is made in the function's body: in no case an
  /// error. What frees the buffer does not touch it.
  Lifetime touched(mlir::Value buffer);

  /// Whether something moves between the buffer and DDR: then loops of steps
  /// may do so in a round before or after the one that works on it, and the
  /// buffer is in use during all rounds. Others are in use from the first to
  /// the last operation of a round that touches them.
  bool crossesDdr(mlir::Value buffer);

  /// Steps are operations of the function's body and of the bodies of loops
  /// that are made of steps.
  int64_t stepOf(mlir::Operation *op) const;
  mlir::Operation *operationAt(int64_t step) const { return steps[step]; }

  /// Whether `op`, whose output is the whole of another buffer, may write the
  /// output over `input`, which has no later use: `op` is an elementwise linalg
  /// operation that reads each element of `input` where it writes it.
  bool mayWriteOver(mlir::linalg::LinalgOp op, mlir::OpOperand *output,
                    mlir::Value input);

private:
  void number(mlir::Block &block);
  mlir::LogicalResult checkStays(mlir::Value buffer, mlir::OpOperand &use);
  bool repeatsAround(mlir::Value buffer) const;

  mlir::func::FuncOp function;
  BufferFlow flow;
  llvm::SmallVector<mlir::Operation *> steps;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  /// The last step of an operation: of loops, that of their bodies.
  llvm::DenseMap<mlir::Operation *, int64_t> ends;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_BUFFERUSES_H
