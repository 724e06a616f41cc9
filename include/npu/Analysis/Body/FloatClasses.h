// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of floats: NaN, infinities, zeros of either sign, and all other
// numbers by their sign. What an operation gives for classes of its operands is
// a table; FloatClassesTest compares each table with compiled arithmetic.

#ifndef NPU_ANALYSIS_BODY_FLOATCLASSES_H
#define NPU_ANALYSIS_BODY_FLOATCLASSES_H

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace npu {

enum class FloatClass : unsigned {
  NaN,
  NegativeInfinity,
  /// Below zero and finite.
  Negative,
  NegativeZero,
  PositiveZero,
  /// Above zero and finite.
  Positive,
  PositiveInfinity,
};
inline constexpr unsigned numFloatClasses = 7;

FloatClass classOf(const llvm::APFloat &number);

/// A set of classes.
class FloatClasses {
public:
  constexpr FloatClasses() = default;
  constexpr FloatClasses(FloatClass only) : bits(1u << unsigned(only)) {}
  constexpr FloatClasses(std::initializer_list<FloatClass> classes) {
    for (FloatClass each : classes)
      bits |= 1u << unsigned(each);
  }

  static constexpr FloatClasses all() { return ofBits(0x7F); }
  static constexpr FloatClasses ofBits(unsigned bits) {
    FloatClasses set;
    set.bits = uint8_t(bits);
    return set;
  }

  constexpr bool has(FloatClass each) const {
    return bits >> unsigned(each) & 1;
  }
  constexpr bool isEmpty() const { return bits == 0; }
  constexpr bool isSubsetOf(FloatClasses other) const {
    return (bits & ~other.bits) == 0;
  }
  constexpr unsigned toBits() const { return bits; }

  friend constexpr FloatClasses operator|(FloatClasses a, FloatClasses b) {
    return ofBits(a.bits | b.bits);
  }
  friend constexpr FloatClasses operator&(FloatClasses a, FloatClasses b) {
    return ofBits(a.bits & b.bits);
  }
  constexpr FloatClasses without(FloatClasses other) const {
    return ofBits(bits & ~other.bits);
  }
  FloatClasses &operator|=(FloatClasses other) { return *this = *this | other; }
  friend constexpr bool operator==(FloatClasses, FloatClasses) = default;

private:
  uint8_t bits = 0;
};

inline constexpr FloatClasses zeros{FloatClass::NegativeZero,
                                    FloatClass::PositiveZero};
inline constexpr FloatClasses infinities{FloatClass::NegativeInfinity,
                                         FloatClass::PositiveInfinity};
inline constexpr FloatClasses finiteNumbers{
    FloatClass::Negative, FloatClass::NegativeZero, FloatClass::PositiveZero,
    FloatClass::Positive};

/// The classes that operations of IEEE 754, rounded to nearest, give for
/// operands of the given classes. With `mayOverflow`, a result of finite
/// operands may be an infinity because it is too large.
namespace float_class {

FloatClasses negate(FloatClass a);
FloatClasses absolute(FloatClass a);
FloatClasses add(FloatClass a, FloatClass b, bool mayOverflow);
FloatClasses subtract(FloatClass a, FloatClass b, bool mayOverflow);
/// a - b where `a` is an entry of a row and `b` the row's largest entry, so
/// that `a` is not above `b`; either may be a NaN.
FloatClasses subtractLargest(FloatClass a, FloatClass b, bool mayOverflow);
FloatClasses multiply(FloatClass a, FloatClass b, bool mayOverflow);
FloatClasses divide(FloatClass a, FloatClass b, bool mayOverflow);
/// maximumf: a NaN if either operand is a NaN. Zeros of both signs give either.
FloatClasses maximum(FloatClass a, FloatClass b);
/// maxnumf: where one operand is a NaN, the other operand.
FloatClasses maximumNumber(FloatClass a, FloatClass b);
FloatClasses minimum(FloatClass a, FloatClass b);
FloatClasses minimumNumber(FloatClass a, FloatClass b);
/// Conversion to a type of less precision or of less range.
FloatClasses truncate(FloatClass a, bool mayOverflow);
FloatClasses exponential(FloatClass a);
FloatClasses logarithm(FloatClass a);
FloatClasses squareRoot(FloatClass a);
FloatClasses reciprocalSquareRoot(FloatClass a);
/// tanh and erf: odd functions with magnitudes of at most 1.
FloatClasses sigmoidal(FloatClass a);
FloatClasses sine(FloatClass a);
FloatClasses cosine(FloatClass a);
/// floor, ceil, trunc, round.
FloatClasses roundToIntegral(FloatClass a);

/// The outcomes that a comparison of two numbers of given classes may have.
struct Outcomes {
  bool less = false, equal = false, greater = false, unordered = false;
};
Outcomes compare(FloatClass a, FloatClass b);

} // namespace float_class
} // namespace npu

#endif // NPU_ANALYSIS_BODY_FLOATCLASSES_H
