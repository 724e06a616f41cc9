// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of the magnitudes of values: an abstract interpretation of the
// operations of a function while it is made up. Below its bound, a sum of whole
// numbers is exact in any order; and infinities, which could hide a difference,
// do not occur.

#ifndef NPU_FUZZ_FUNCTIONS_MAGNITUDES_H
#define NPU_FUZZ_FUNCTIONS_MAGNITUDES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

class Magnitudes {
public:
  /// Floats have to stay whole numbers, or only finite ones. A dynamic
  /// dimension counts as one of `longest` entries.
  bool isExact = false;
  int64_t longest = 1;

  /// The bound of a value that is known, or else of an argument of `main`.
  double of(mlir::Value value) const;
  /// Makes a value one that is not known.
  void forget(mlir::Value value) { known.erase(value); }
  /// Learns the bounds of what an operation makes, whose operands are known.
  /// False where a float may become too large for its type, or may be rounded
  /// although it has to be exact.
  bool learn(mlir::Operation *op);

private:
  using Bounds = llvm::SmallVector<double>;

  Bounds boundsOf(mlir::Operation *op);
  Bounds structured(mlir::linalg::LinalgOp op);
  Bounds looped(mlir::Operation *op);
  /// Interprets a block on such arguments; the bounds of what it hands on.
  Bounds run(mlir::Block &block, llvm::ArrayRef<double> arguments);
  Bounds all(mlir::ValueRange values);
  bool mayRound(mlir::Operation *op) const;
  void set(mlir::Value value, double most);

  llvm::DenseMap<mlir::Value, double> known;
  bool isFine = true;
};

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_MAGNITUDES_H
