// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a buffer is in use, and what may be written over it.

#ifndef NPU_LIB_CONVERSION_PLANSCRATCHPAD_BUFFERUSES_H
#define NPU_LIB_CONVERSION_PLANSCRATCHPAD_BUFFERUSES_H

#include "../Buffers/BufferFlow.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Steps are the operations of the function's body, by their numbers; what is
/// inside an operation happens at its step. In a body of several blocks any
/// step may follow any other: everything is in use throughout.
class BufferUses {
public:
  explicit BufferUses(mlir::func::FuncOp function);

  struct Lifetime {
    int64_t first = 0;
    int64_t last = 0;
  };

  /// From the first to the last operation that touches the buffer or what may
  /// be a part of it; everything where it goes out of sight. An error where it
  /// leaves the function, or may be handed from one iteration to the next, when
  /// its place has another use already.
  mlir::FailureOr<Lifetime> lifetime(mlir::Value buffer);

  int64_t stepOf(mlir::Operation *op) const;
  mlir::Operation *operationAt(int64_t step) const { return steps[step]; }

  /// True when `op`, whose output is the whole of another buffer, may write it
  /// over `input`, which nothing uses later: an elementwise linalg operation
  /// that reads each element of `input` where it writes it.
  bool mayWriteOver(mlir::linalg::LinalgOp op, mlir::OpOperand *output,
                    mlir::Value input);

private:
  mlir::LogicalResult checkStays(mlir::Value buffer, mlir::OpOperand &use);
  bool repeatsAround(mlir::Value buffer) const;

  mlir::func::FuncOp function;
  BufferFlow flow;
  llvm::SmallVector<mlir::Operation *> steps;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_PLANSCRATCHPAD_BUFFERUSES_H
