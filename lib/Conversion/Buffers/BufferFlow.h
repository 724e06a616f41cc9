// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values may be a buffer or a part of it, and where one goes out of
// sight: upstream's analysis of views, and a rule for what it does not know.

#ifndef NPU_LIB_CONVERSION_BUFFERS_BUFFERFLOW_H
#define NPU_LIB_CONVERSION_BUFFERS_BUFFERFLOW_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "llvm/ADT/SetVector.h"

namespace npu {

/// True where every buffer that the operation gives (results and arguments of
/// its regions) is known to be new, or to be one of the buffers that upstream's
/// analysis sees flow into it.
bool isFlowKnown(mlir::Operation *op);

/// True where an operand of an operation may be seen again by others than the
/// users of what upstream's analysis knows: an operation that says neither
/// what it hands on nor what it does to memory, a pointer that is taken, a
/// buffer that is stored in another one.
bool goesOutOfSight(mlir::OpOperand &use);

/// All values in an operation that may share memory with a buffer, itself
/// included. An operation that upstream's analysis does not know may give any
/// buffer that it was given.
///
/// Example: of `%r = arith.select %c, %a, %b`, `%r` is in the set of `%a` and
/// in that of `%b`.
class BufferFlow {
public:
  explicit BufferFlow(mlir::Operation *root) : known(root) {}
  llvm::SetVector<mlir::Value> aliases(mlir::Value buffer) const;

private:
  mlir::BufferViewFlowAnalysis known;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_BUFFERFLOW_H
