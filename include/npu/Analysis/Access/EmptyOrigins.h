// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors are made of nothing: a tensor.empty, moved and looked at in
// other ways, but never written.

#ifndef NPU_ANALYSIS_ACCESS_EMPTYORIGINS_H
#define NPU_ANALYSIS_ACCESS_EMPTYORIGINS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// The tensor of which the result has entries and nothing else, because `op`
/// moves the tensor or gives a view of it; null for other operations.
mlir::Value movedOrViewed(mlir::Operation *op);

/// Answers for many values. Moves and views may stand in a row; what lies
/// behind one is remembered, so that asking at every link of a chain takes time
/// linear in its length. The answers hold until the IR changes.
class EmptyOrigins {
public:
  /// The tensor.empty that a tensor is, or of which it is a part or another
  /// view; null for others.
  mlir::Operation *emptyBehind(mlir::Value value);

  /// Whether a tensor is a tensor.empty, or a part of one or another view of
  /// it.
  bool isMadeOfNothing(mlir::Value value) {
    return emptyBehind(value) != nullptr;
  }

  /// Whether `op` only moves or views an unwritten tensor, and has a result of
  /// static shape: lowering replaces it by a tensor.empty.
  bool isRemadeAsEmpty(mlir::Operation *op);

private:
  /// By the result of each move or view.
  llvm::DenseMap<mlir::Value, mlir::Operation *> known;
};

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_EMPTYORIGINS_H
