// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the parts of a sum and its whole are apart, as a share of what is
// added up:
//
//   share = max over elements of |parts - whole| / (|init| + sum of |terms|)
//
// Sums of n terms in any two orders are within 2 * n * u of each other in that
// measure, to first order in u, half the distance from 1 to the next number of
// the type (N. Higham, Accuracy and Stability of Numerical Algorithms, section
// 4.2). That bound is 2 where 256 terms are added up in bf16. The measured
// share says whether the type can hold such a sum at all, also where terms
// cancel. For products the magnitude is the result's.

#ifndef NPU_LIB_EXECUTION_COMPARE_ROUNDINGSHARE_H
#define NPU_LIB_EXECUTION_COMPARE_ROUNDINGSHARE_H

#include "npu/Analysis/Choices/SplitReduction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

class RoundingShares {
public:
  /// Measures reductions in the body of `function`.
  explicit RoundingShares(mlir::func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  /// Computes the share of one reduction. Fails where its function cannot
  /// return it. `inParts` comes after `op`, whose operands are still its own.
  mlir::LogicalResult measure(mlir::linalg::LinalgOp op,
                              const Reduction &reduction, mlir::Value inParts);

  /// Returns all shares, f64 of rank 0, after the function's own results.
  void returnAll();

private:
  mlir::Value magnitudes(mlir::linalg::LinalgOp op, const Reduction &reduction);
  mlir::Value largestShare(mlir::Value inParts, mlir::Value whole,
                           mlir::Value magnitude);

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> shares;
};

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_ROUNDINGSHARE_H
