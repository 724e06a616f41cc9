// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices and integers as expressions of loops and of the lengths of prompts.

#ifndef NPU_ANALYSIS_POSITIONS_INDEXEXPRS_H
#define NPU_ANALYSIS_POSITIONS_INDEXEXPRS_H

#include "npu/Analysis/Positions/LargestExtent.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// Bounds of the magnitudes of loops (dims) and of scalars of the function
/// (symbols), one for each.
struct PositionLimits {
  llvm::SmallVector<double> loops;
  llvm::SmallVector<double> symbols;
};

/// A constant as an expression; null for numbers much larger than any position,
/// whose differences could overflow in an expression.
mlir::AffineExpr constantExprOf(int64_t number, mlir::MLIRContext *context);

/// The result of an operation on integers as an expression of loops and scalars
/// within `limits`, where `of` gives the expressions of its operands (null for
/// those without one). The operation's model gives the expression
/// (ScalarOpInterface). Null where it gives none, and where the type may be too
/// small for the result.
mlir::AffineExpr
indexExprOf(mlir::Operation *op, const PositionLimits &limits,
            llvm::function_ref<mlir::AffineExpr(mlir::Value)> of);

/// Bounds of `a - b`, of two expressions of the lengths of prompts; nothing
/// where they are not known, or where one of them is null.
std::optional<ExprBounds>
boundsOfDifference(mlir::AffineExpr a, mlir::AffineExpr b, LengthRange lengths);

/// The one of two expressions of the lengths of prompts that is the minimum, or
/// the maximum, at every length in the range; null where that is not the same
/// one, or where one of them is null.
mlir::AffineExpr knownExtremum(bool isMax, mlir::AffineExpr a,
                               mlir::AffineExpr b, LengthRange lengths);

} // namespace npu

#endif // NPU_ANALYSIS_POSITIONS_INDEXEXPRS_H
