// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Body/FloatClasses.h"

namespace npu {

using enum FloatClass;

FloatClass classOf(const llvm::APFloat &number) {
  if (number.isNaN())
    return NaN;
  bool negative = number.isNegative();
  if (number.isInfinity())
    return negative ? NegativeInfinity : PositiveInfinity;
  if (number.isZero())
    return negative ? NegativeZero : PositiveZero;
  return negative ? Negative : Positive;
}

namespace float_class {
namespace {

bool isBelow(FloatClass a) {
  return a == NegativeInfinity || a == Negative || a == NegativeZero;
}

bool isZero(FloatClass a) { return zeros.has(a); }
bool isInfinite(FloatClass a) { return infinities.has(a); }
bool isNumber(FloatClass a) { return a == Negative || a == Positive; }

FloatClass infinity(bool below) {
  return below ? NegativeInfinity : PositiveInfinity;
}
FloatClass zero(bool below) { return below ? NegativeZero : PositiveZero; }
FloatClass number(bool below) { return below ? Negative : Positive; }

/// The classes of a finite result after rounding: it may become 0, or infinite
/// if it is too large.
FloatClasses rounded(bool below, bool mayOverflow) {
  FloatClasses result{number(below), zero(below)};
  if (mayOverflow)
    result |= infinity(below);
  return result;
}

FloatClass opposite(FloatClass a) {
  return a == NaN ? NaN : FloatClass(numFloatClasses - unsigned(a));
}

} // namespace

FloatClasses negate(FloatClass a) { return opposite(a); }

FloatClasses absolute(FloatClass a) { return isBelow(a) ? opposite(a) : a; }

FloatClasses add(FloatClass a, FloatClass b, bool mayOverflow) {
  if (a == NaN || b == NaN)
    return NaN;
  if (isInfinite(a) || isInfinite(b)) {
    if (isInfinite(a) && isInfinite(b))
      return a == b ? a : NaN;
    return isInfinite(a) ? a : b;
  }
  if (isZero(a) && isZero(b))
    return a == NegativeZero && b == NegativeZero ? NegativeZero : PositiveZero;
  if (isZero(a) || isZero(b))
    return isZero(a) ? b : a;
  if (a != b)
    return {Negative, PositiveZero, Positive};
  FloatClasses result = a;
  if (mayOverflow)
    result |= infinity(isBelow(a));
  return result;
}

FloatClasses subtract(FloatClass a, FloatClass b, bool mayOverflow) {
  return add(a, opposite(b), mayOverflow);
}

FloatClasses subtractLargest(FloatClass a, FloatClass b, bool mayOverflow) {
  FloatClasses difference = subtract(a, b, mayOverflow);
  if (a == NaN || b == NaN)
    return difference;
  // Zeros of both signs are equal.
  bool above = unsigned(a) > unsigned(b) && !(isZero(a) && isZero(b));
  if (above)
    return {};
  return difference.without({Positive, PositiveInfinity});
}

FloatClasses multiply(FloatClass a, FloatClass b, bool mayOverflow) {
  if (a == NaN || b == NaN)
    return NaN;
  bool below = isBelow(a) != isBelow(b);
  if (isInfinite(a) || isInfinite(b))
    return isZero(a) || isZero(b) ? NaN : infinity(below);
  if (isZero(a) || isZero(b))
    return zero(below);
  return rounded(below, mayOverflow);
}

FloatClasses divide(FloatClass a, FloatClass b, bool mayOverflow) {
  if (a == NaN || b == NaN)
    return NaN;
  bool below = isBelow(a) != isBelow(b);
  if (isInfinite(a))
    return isInfinite(b) ? NaN : infinity(below);
  if (isInfinite(b))
    return zero(below);
  if (isZero(a))
    return isZero(b) ? NaN : zero(below);
  if (isZero(b))
    return infinity(below);
  return rounded(below, mayOverflow);
}

FloatClasses maximumNumber(FloatClass a, FloatClass b) {
  if (a == NaN || b == NaN)
    return a == NaN ? b : a;
  if (isZero(a) && isZero(b))
    return FloatClasses(a) | b;
  return unsigned(a) > unsigned(b) ? a : b;
}

FloatClasses maximum(FloatClass a, FloatClass b) {
  if (a == NaN || b == NaN)
    return NaN;
  return maximumNumber(a, b);
}

FloatClasses minimumNumber(FloatClass a, FloatClass b) {
  if (a == NaN || b == NaN)
    return a == NaN ? b : a;
  if (isZero(a) && isZero(b))
    return FloatClasses(a) | b;
  return unsigned(a) < unsigned(b) ? a : b;
}

FloatClasses minimum(FloatClass a, FloatClass b) {
  if (a == NaN || b == NaN)
    return NaN;
  return minimumNumber(a, b);
}

FloatClasses truncate(FloatClass a, bool mayOverflow) {
  return isNumber(a) ? rounded(isBelow(a), mayOverflow) : FloatClasses(a);
}

FloatClasses exponential(FloatClass a) {
  switch (a) {
  case NaN:
    return NaN;
  case NegativeInfinity:
    return PositiveZero;
  case Negative:
    return {PositiveZero, Positive};
  case NegativeZero:
  case PositiveZero:
    return Positive;
  case Positive:
    return {Positive, PositiveInfinity};
  case PositiveInfinity:
    return PositiveInfinity;
  }
  return FloatClasses::all();
}

FloatClasses logarithm(FloatClass a) {
  if (isZero(a))
    return NegativeInfinity;
  if (a == PositiveInfinity)
    return PositiveInfinity;
  if (a == Positive)
    return {Negative, PositiveZero, NegativeZero, Positive};
  return NaN;
}

FloatClasses squareRoot(FloatClass a) {
  return a == Negative || a == NegativeInfinity ? NaN : a;
}

FloatClasses reciprocalSquareRoot(FloatClass a) {
  if (isZero(a))
    return infinities;
  if (a == Positive)
    return Positive;
  return a == PositiveInfinity ? PositiveZero : NaN;
}

FloatClasses sigmoidal(FloatClass a) {
  if (isInfinite(a))
    return number(isBelow(a));
  return isNumber(a) ? rounded(isBelow(a), /*mayOverflow=*/false)
                     : FloatClasses(a);
}

FloatClasses sine(FloatClass a) {
  if (isInfinite(a))
    return NaN;
  return isNumber(a) ? finiteNumbers : FloatClasses(a);
}

FloatClasses cosine(FloatClass a) {
  if (a == NaN || isInfinite(a))
    return NaN;
  return isZero(a) ? FloatClasses(Positive) : finiteNumbers;
}

FloatClasses roundToIntegral(FloatClass a) {
  return isNumber(a) ? FloatClasses{a, zero(isBelow(a))} : FloatClasses(a);
}

Outcomes compare(FloatClass a, FloatClass b) {
  if (a == NaN || b == NaN)
    return {.unordered = true};
  if (isZero(a) && isZero(b))
    return {.equal = true};
  if (a == b)
    return {.less = isNumber(a), .equal = true, .greater = isNumber(a)};
  bool less = unsigned(a) < unsigned(b);
  return {.less = less, .greater = !less};
}

} // namespace float_class
} // namespace npu
