// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors are unwritten: a tensor.empty that was moved and viewed, but
// never written.

#ifndef NPU_ANALYSIS_ACCESS_EMPTYORIGINS_H
#define NPU_ANALYSIS_ACCESS_EMPTYORIGINS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// The tensor of which the result has entries and nothing else, because `op`
/// moves the tensor or gives a view of it; null for other operations.
mlir::Value movedOrViewed(mlir::Operation *op);

/// Finds the tensor.empty after many values. Moves and views may form chains;
/// the answer for each link is remembered, so that asking at every link of a
/// chain takes time linear in its length. The answers hold until the IR
/// changes.
class EmptyOrigins {
public:
  /// The tensor.empty that `value` is, or of which it is a part or another
  /// view; null for other values.
  mlir::Operation *emptyAfter(mlir::Value value);

  /// Whether `value` is a tensor.empty, or a part or another view of one.
  bool isMadeOfNothing(mlir::Value value) {
    return emptyAfter(value) != nullptr;
  }

  /// Whether `op` only moves or views an unwritten tensor, and has a result of
  /// static shape: lowering replaces it by a tensor.empty.
  bool isRematerializedAsEmpty(mlir::Operation *op);

private:
  /// The answer for the result of each move or view.
  llvm::DenseMap<mlir::Value, mlir::Operation *> known;
};

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_EMPTYORIGINS_H
