// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the positions of a structured operation's loops, as integer
// inequalities, and what follows from them.

#ifndef NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H
#define NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H

#include "npu/Analysis/Positions/IndexExprs.h"

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

} // namespace npu

#endif // NPU_LIB_ANALYSIS_POSITIONS_POSITIONFACTS_H
