// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which memory order each part of a tile program lies.
// npu-verify-tile-program compares the orders of transfers with it.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_TILEORDERS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_TILEORDERS_H

#include "npu/Placement/Distributions/Order.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// A value lies in the order that its operation says (`npu.order`), or else in
/// that of the tensor which the operation writes over, views, or takes as it
/// is; a tensor made of nothing lies in logical order where it does not say
/// otherwise. Every order follows from what is after a value, never from what
/// reads it, so that a transfer states again what is known already.
///
/// Example: `%e = tensor.empty() {npu.order = array<i64: 1, 0>}` and what
/// `linalg.exp ... outs(%e)` gives lie in order [1, 0]; a transfer that stores
/// the result has that source order.
class TileOrders {
public:
  /// The memory order of `value`, a tensor; nothing where it cannot be told.
  std::optional<Permutation> orderOf(mlir::Value value);

  /// Verifies that transfers name the orders of their sources and destinations,
  /// and that loops and branches hand on tensors of one order as one value.
  /// Fails with a diagnostic.
  mlir::LogicalResult verify(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Value, std::optional<Permutation>> known;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_TILEORDERS_H
