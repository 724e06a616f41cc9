// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the positions that the loops of a structured operation stand
// on, as integer inequalities, and what follows from it.

#ifndef NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H
#define NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace npu {

/// Expressions are of the loops (dims) and of numbers of the function
/// (symbols).
class PositionFacts {
public:
  PositionFacts(unsigned numLoops, unsigned numSymbols)
      : numLoops(numLoops), numSymbols(numSymbols),
        system(numLoops, numSymbols, /*numLocals=*/0) {}

  /// Known from now on. What is no linear expression says nothing.
  void atLeastZero(mlir::AffineExpr expr);

  /// True when no position has `expr` >= 0.
  bool never(mlir::AffineExpr expr) const;

  /// The comparison holds where all of these are at least 0. None where that is
  /// not known: for `ne`, and for unsigned ones of what may be below zero.
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

/// No loop stands beyond its position, and no number of the function is larger:
/// one magnitude each for dims and symbols.
struct PositionLimits {
  llvm::SmallVector<double> loops;
  llvm::SmallVector<double> symbols;
};

/// A constant as an expression; null for numbers that no position comes near,
/// in differences of which an expression would wrap.
mlir::AffineExpr constantExprOf(int64_t number, mlir::MLIRContext *context);

/// What an operation on integers computes, as an expression, where `of` gives
/// those of its operands (null for none), of loops and numbers within `limits`.
/// As the operation says it (ScalarOpInterface), or null where it says nothing,
/// and where the type may be too small for it.
mlir::AffineExpr
indexExprOf(mlir::Operation *op, const PositionLimits &limits,
            llvm::function_ref<mlir::AffineExpr(mlir::Value)> of);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H
