// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PositionFacts.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include <cmath>

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

/// A bound of the magnitude of `expr`.
static double magnitude(AffineExpr expr, const PositionLimits &limits) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(static_cast<double>(number.getValue()));
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return limits.loops[loop.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return limits.symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  double a = magnitude(binary.getLHS(), limits),
         b = magnitude(binary.getRHS(), limits);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return b;
  default:
    return a;
  }
}

/// Expressions stay below this, so that sums and differences of a few of them
/// are far from wrapping.
static const double mostMagnitude = std::ldexp(1.0, 50);

AffineExpr constantExprOf(int64_t number, MLIRContext *context) {
  bool small = std::abs(static_cast<double>(number)) < mostMagnitude;
  return small ? getAffineConstantExpr(number, context) : AffineExpr();
}

AffineExpr indexExprOf(Operation *op, const PositionLimits &limits,
                       llvm::function_ref<AffineExpr(Value)> of) {
  auto scalar = modelOf<ScalarOpInterface>(op);
  if (!scalar)
    return {};
  AffineExpr expr =
      scalar.getIndexExpr(llvm::map_to_vector(op->getOperands(), of));
  if (!expr)
    return {};
  // An operation that may wrap around has no expression.
  Type type = op->getResult(0).getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  int exponent = static_cast<int>(std::min(width, 63U)) - 1;
  double most = std::min(std::ldexp(1.0, exponent), mostMagnitude);
  return magnitude(expr, limits) < most ? expr : AffineExpr();
}

} // namespace npu
