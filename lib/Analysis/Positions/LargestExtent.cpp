// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and multiples of the length, and what divisions and remainders by
// constants make of those, repeat themselves: with P the product of all
// divisors in an expression f, f(L + P) - f(L) is the same for every L. (A
// division by d of what grows by a multiple of d grows by a d-th of it, and its
// remainder stays; P is enough for divisions inside of divisions.) So along
// L, L + P, L + 2P, ... f rises or falls all the way, and its largest value is
// at one of the first P lengths or of the last P. Without divisions those are
// the shortest and the longest prompt.

#include "npu/Analysis/Positions/LargestExtent.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

/// The most lengths that are tried one by one.
constexpr int64_t maxTriedLengths = int64_t(1) << 18;

std::optional<int64_t> valueAt(AffineExpr expr, int64_t length) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  if (isa<AffineSymbolExpr>(expr))
    return length;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> a = valueAt(binary.getLHS(), length);
  std::optional<int64_t> b = valueAt(binary.getRHS(), length);
  int64_t result = 0;
  if (!a || !b)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return llvm::AddOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  case AffineExprKind::Mul:
    return llvm::MulOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  default:
    break;
  }
  if (*b < 1)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return llvm::divideFloorSigned(*a, *b);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return llvm::divideCeilSigned(*a, *b);
  return llvm::mod(*a, *b);
}

/// The product of all divisors; nothing where a divisor is no constant, or
/// where the product is larger than `maxTriedLengths`.
std::optional<int64_t> periodOf(AffineExpr expr) {
  if (!expr.isPureAffine())
    return std::nullopt;
  int64_t period = 1;
  expr.walk([&](AffineExpr each) {
    if (each.getKind() != AffineExprKind::FloorDiv &&
        each.getKind() != AffineExprKind::CeilDiv &&
        each.getKind() != AffineExprKind::Mod)
      return;
    auto divisor =
        dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(each).getRHS());
    if (!divisor || divisor.getValue() < 1 ||
        divisor.getValue() > maxTriedLengths || period > maxTriedLengths)
      period = maxTriedLengths + 1;
    else
      period *= divisor.getValue();
  });
  return period > maxTriedLengths ? std::nullopt : std::optional(period);
}

/// The values of `at` at both bounds, in their order; nothing where one of them
/// is not known.
std::optional<ExprBounds>
boundsOf(const ExprBounds &bounds,
         llvm::function_ref<std::optional<int64_t>(int64_t)> at) {
  std::optional<int64_t> a = at(bounds.least), b = at(bounds.most);
  if (!a || !b)
    return std::nullopt;
  return ExprBounds{std::min(*a, *b), std::max(*a, *b)};
}

/// ExprBounds of an expression of several prompts: exact for parts of one
/// prompt each, which are combined.
std::optional<ExprBounds> boundsOfSeveral(AffineExpr expr,
                                          LengthRange lengths) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<ExprBounds> a = boundsOverLengths(binary.getLHS(), lengths);
  if (!a)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<ExprBounds> b = boundsOverLengths(binary.getRHS(), lengths);
    ExprBounds sum{};
    return b && !llvm::AddOverflow(a->least, b->least, sum.least) &&
                   !llvm::AddOverflow(a->most, b->most, sum.most)
               ? std::optional(sum)
               : std::nullopt;
  }
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!by)
    return std::nullopt;
  int64_t number = by.getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return boundsOf(*a, [&](int64_t value) {
      int64_t product = 0;
      return llvm::MulOverflow(value, number, product) ? std::nullopt
                                                       : std::optional(product);
    });
  if (number < 1)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return ExprBounds{0, number - 1};
  bool isFloor = expr.getKind() == AffineExprKind::FloorDiv;
  return boundsOf(*a, [&](int64_t value) {
    return std::optional(isFloor ? llvm::divideFloorSigned(value, number)
                                 : llvm::divideCeilSigned(value, number));
  });
}

/// Whether an expression is of more than one prompt.
bool isOfSeveral(AffineExpr expr) {
  std::optional<unsigned> first;
  bool several = false;
  expr.walk([&](AffineExpr each) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(each)) {
      several |= first.value_or(symbol.getPosition()) != symbol.getPosition();
      first = symbol.getPosition();
    }
  });
  return several;
}

} // namespace

std::optional<ExprBounds> boundsOverLengths(AffineExpr expr,
                                            LengthRange lengths) {
  if (isOfSeveral(expr))
    return boundsOfSeveral(expr, lengths);
  std::optional<int64_t> period = periodOf(expr);
  int64_t count = lengths.most - lengths.least + 1;
  if (lengths.most < 1 || (!period && count > maxTriedLengths))
    return std::nullopt;
  int64_t ends = std::min(period.value_or(count), count);
  std::optional<ExprBounds> bounds;
  for (int64_t step = 0; step < ends; ++step)
    for (int64_t length : {lengths.least + step, lengths.most - step}) {
      std::optional<int64_t> value = valueAt(expr, length);
      if (!value)
        return std::nullopt;
      if (!bounds)
        bounds = ExprBounds{*value, *value};
      bounds = ExprBounds{std::min(bounds->least, *value),
                          std::max(bounds->most, *value)};
    }
  return bounds;
}

std::optional<int64_t> largestOverLengths(AffineExpr expr,
                                          LengthRange lengths) {
  std::optional<ExprBounds> bounds = boundsOverLengths(expr, lengths);
  return bounds ? std::optional(bounds->most) : std::nullopt;
}

std::optional<int64_t> smallestOverLengths(AffineExpr expr,
                                           LengthRange lengths) {
  std::optional<ExprBounds> bounds = boundsOverLengths(expr, lengths);
  return bounds ? std::optional(bounds->least) : std::nullopt;
}

} // namespace npu
