// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PositionFacts.h"

using namespace mlir;

namespace npu {

bool PositionFacts::add(FlatLinearConstraints &to, AffineExpr expr) const {
  std::vector<SmallVector<int64_t, 8>> rows;
  FlatLinearConstraints locals;
  AffineMap map = AffineMap::get(numLoops, numSymbols, expr);
  if (failed(getFlattenedAffineExprs(map, &rows, &locals)) ||
      rows[0].size() != to.getNumCols())
    return false;
  to.addInequality(rows[0]);
  return true;
}

void PositionFacts::atLeastZero(AffineExpr expr) { (void)add(system, expr); }

bool PositionFacts::never(AffineExpr expr) const {
  FlatLinearConstraints with(system);
  return add(with, expr) && with.isEmpty();
}

SmallVector<AffineExpr>
PositionFacts::conditionsOf(arith::CmpIPredicate predicate, AffineExpr a,
                            AffineExpr b) const {
  // A negative number is large when compared as unsigned.
  if (predicate >= arith::CmpIPredicate::ult &&
      !(never(-a - 1) && never(-b - 1)))
    return {};
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {a - b, b - a};
  case arith::CmpIPredicate::ne:
    return {};
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return {b - a - 1};
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return {b - a};
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return {a - b - 1};
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return {a - b};
  }
  return {};
}

std::optional<bool> PositionFacts::compare(arith::CmpIPredicate predicate,
                                           AffineExpr a, AffineExpr b) const {
  if (predicate == arith::CmpIPredicate::ne) {
    std::optional<bool> equal = compare(arith::CmpIPredicate::eq, a, b);
    return equal ? std::optional(!*equal) : std::nullopt;
  }
  SmallVector<AffineExpr> conditions = conditionsOf(predicate, a, b);
  if (conditions.empty())
    return std::nullopt;
  if (llvm::any_of(conditions, [&](AffineExpr each) { return never(each); }))
    return false;
  if (llvm::all_of(conditions,
                   [&](AffineExpr each) { return never(-each - 1); }))
    return true;
  return std::nullopt;
}

} // namespace npu
