// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Positions/IndexExprs.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include <cmath>

using namespace mlir;

namespace npu {

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

std::optional<ExprBounds> boundsOfDifference(AffineExpr a, AffineExpr b,
                                             LengthRange lengths) {
  if (!a || !b)
    return std::nullopt;
  unsigned symbols = 0;
  AffineExpr difference = a - b;
  difference.walk([&](AffineExpr each) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(each))
      symbols = std::max(symbols, symbol.getPosition() + 1);
  });
  return boundsOverLengths(simplifyAffineExpr(difference, 0, symbols), lengths);
}

AffineExpr knownExtremum(bool isMax, AffineExpr a, AffineExpr b,
                         LengthRange lengths) {
  std::optional<ExprBounds> more = boundsOfDifference(a, b, lengths);
  if (more && more->most <= 0)
    return isMax ? b : a;
  if (more && more->least >= 0)
    return isMax ? a : b;
  return {};
}

} // namespace npu
