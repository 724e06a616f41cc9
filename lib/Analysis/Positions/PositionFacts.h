// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the positions of a structured operation's loops, as integer
// inequalities, and what follows from them.

#ifndef NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H
#define NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace npu {

/// A system of inequalities. Its expressions are of the loops (dims) and of
/// scalars of the function (symbols).
class PositionFacts {
public:
  PositionFacts(unsigned numLoops, unsigned numSymbols)
      : numLoops(numLoops), numSymbols(numSymbols),
        system(numLoops, numSymbols, /*numLocals=*/0) {}

  /// Adds the fact `expr` >= 0. An expression that is not linear adds nothing.
  void atLeastZero(mlir::AffineExpr expr);

  /// Whether the facts exclude `expr` >= 0.
  bool never(mlir::AffineExpr expr) const;

  /// Expressions such that the comparison holds where all of them are at least
  /// 0. No expressions where there are none: for `ne`, and for unsigned
  /// comparisons of numbers that may be negative.
  llvm::SmallVector<mlir::AffineExpr>
  conditionsOf(mlir::arith::CmpIPredicate predicate, mlir::AffineExpr a,
               mlir::AffineExpr b) const;

  /// The outcome of a comparison where it is the same for all positions.
  std::optional<bool> compare(mlir::arith::CmpIPredicate predicate,
                              mlir::AffineExpr a, mlir::AffineExpr b) const;

private:
  bool add(mlir::FlatLinearConstraints &system, mlir::AffineExpr expr) const;

  unsigned numLoops, numSymbols;
  mlir::FlatLinearConstraints system;
};

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

} // namespace npu

#endif // NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H
