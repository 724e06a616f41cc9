// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values may share memory with a buffer, and where a buffer escapes:
// upstream's analysis of views, and a rule for operations that it does not
// know.

#ifndef NPU_LIB_CONVERSION_BUFFERS_BUFFERFLOW_H
#define NPU_LIB_CONVERSION_BUFFERS_BUFFERFLOW_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "llvm/ADT/SetVector.h"

namespace npu {

/// Whether every buffer that the operation gives (results and arguments of its
/// regions) is known to be new, or to be one of the buffers that upstream's
/// analysis sees flow into it.
bool isFlowKnown(mlir::Operation *op);

/// Whether a buffer escapes through an operand: an operation that declares
/// neither what it hands on nor its memory effects, a pointer that is taken, a
/// buffer that is stored in another one. It may then be used by operations that
/// upstream's analysis does not find.
bool mayEscape(mlir::OpOperand &use);

/// Finds all values in an operation that may share memory with a buffer, that
/// buffer included. An operation that upstream's analysis does not know may
/// give any buffer that it was given.
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
