// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of classes against arithmetic itself, on numbers of all magnitudes.

#include "npu/Analysis/Body/FloatClasses.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace npu {
namespace {

using namespace float_class;

/// Special numbers, and for each exponent one number of each sign.
std::vector<float> numbers() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> all{Limits::quiet_NaN(),  0.0f,          -0.0f,
                         Limits::infinity(),   1.0f,          -1.0f,
                         -Limits::infinity(),  Limits::max(), Limits::lowest(),
                         Limits::denorm_min(), Limits::min(), 1.5f,
                         -Limits::denorm_min()};
  std::mt19937 rng(1);
  for (int exponent = -149; exponent < 128; exponent += 3)
    for (int sign : {1, -1})
      all.push_back(float(sign) *
                    std::ldexp(1.0f + float(rng() % 1000) / 1001, exponent));
  return all;
}

FloatClass classOf(float number) { return npu::classOf(llvm::APFloat(number)); }

bool isFinite(float a) { return std::isfinite(a); }

void checkUnary(const char *name, FloatClasses (*table)(FloatClass),
                float (*compute)(float)) {
  for (float a : numbers())
    EXPECT_TRUE(table(classOf(a)).has(classOf(compute(a))))
        << name << " of " << a << " is " << compute(a);
}

void checkBinary(const char *name,
                 FloatClasses (*table)(FloatClass, FloatClass, bool),
                 float (*compute)(float, float)) {
  for (float a : numbers())
    for (float b : numbers()) {
      float result = compute(a, b);
      EXPECT_TRUE(table(classOf(a), classOf(b), true).has(classOf(result)))
          << a << " " << name << " " << b << " is " << result;
      // What is infinite though nothing overflowed.
      bool overflows = isFinite(a) && isFinite(b) && std::isinf(result) &&
                       !(name == std::string("/") && b == 0);
      if (!overflows) {
        EXPECT_TRUE(table(classOf(a), classOf(b), false).has(classOf(result)))
            << a << " " << name << " " << b << " is " << result;
      }
    }
}

TEST(FloatClasses, UnaryOperations) {
  checkUnary("negate", negate, [](float a) { return -a; });
  checkUnary("absolute", absolute, [](float a) { return std::fabs(a); });
  checkUnary("exponential", exponential, [](float a) { return std::exp(a); });
  checkUnary("exponential", exponential, [](float a) { return std::exp2(a); });
  checkUnary("logarithm", logarithm, [](float a) { return std::log(a); });
  checkUnary("logarithm", logarithm, [](float a) { return std::log2(a); });
  checkUnary("logarithm", logarithm, [](float a) { return std::log10(a); });
  checkUnary("root", squareRoot, [](float a) { return std::sqrt(a); });
  checkUnary("reciprocal root", reciprocalSquareRoot,
             [](float a) { return 1 / std::sqrt(a); });
  checkUnary("tanh", sigmoidal, [](float a) { return std::tanh(a); });
  checkUnary("erf", sigmoidal, [](float a) { return std::erf(a); });
  checkUnary("sine", sine, [](float a) { return std::sin(a); });
  checkUnary("cosine", cosine, [](float a) { return std::cos(a); });
  for (auto *round : {+[](float a) { return std::floor(a); },
                      +[](float a) { return std::ceil(a); },
                      +[](float a) { return std::trunc(a); },
                      +[](float a) { return std::round(a); },
                      +[](float a) { return std::rint(a); }})
    checkUnary("rounding", roundToIntegral, round);
}

TEST(FloatClasses, BinaryOperations) {
  checkBinary("+", add, [](float a, float b) { return a + b; });
  checkBinary("-", subtract, [](float a, float b) { return a - b; });
  checkBinary("*", multiply, [](float a, float b) { return a * b; });
  checkBinary("/", divide, [](float a, float b) { return a / b; });
  for (float a : numbers()) {
    for (float b : numbers())
      if (std::isnan(a) || std::isnan(b) || a <= b) {
        EXPECT_TRUE(
            subtractLargest(classOf(a), classOf(b), true).has(classOf(a - b)))
            << a << " - " << b;
      }
  }
}

TEST(FloatClasses, LargestAndSmallest) {
  for (float a : numbers())
    for (float b : numbers()) {
      bool none = std::isnan(a) || std::isnan(b);
      auto expect = [&](FloatClasses classes, float result) {
        EXPECT_TRUE(classes.has(classOf(result))) << a << ", " << b;
      };
      expect(maximum(classOf(a), classOf(b)),
             none ? std::nanf("") : std::fmax(a, b));
      expect(minimum(classOf(a), classOf(b)),
             none ? std::nanf("") : std::fmin(a, b));
      expect(maximumNumber(classOf(a), classOf(b)), std::fmax(a, b));
      expect(minimumNumber(classOf(a), classOf(b)), std::fmin(a, b));
    }
}

TEST(FloatClasses, Comparisons) {
  for (float a : numbers())
    for (float b : numbers()) {
      Outcomes outcomes = compare(classOf(a), classOf(b));
      EXPECT_TRUE(a < b    ? outcomes.less
                  : a == b ? outcomes.equal
                  : a > b  ? outcomes.greater
                           : outcomes.unordered)
          << a << ", " << b;
    }
}

TEST(FloatClasses, RoundingToAnotherType) {
  for (float a : numbers()) {
    llvm::APFloat number(a);
    bool inexact;
    number.convert(llvm::APFloat::IEEEhalf(),
                   llvm::APFloat::rmNearestTiesToEven, &inexact);
    EXPECT_TRUE(truncate(classOf(a), true).has(npu::classOf(number))) << a;
    if (!number.isInfinity() || std::isinf(a)) {
      EXPECT_TRUE(truncate(classOf(a), false).has(npu::classOf(number))) << a;
    }
  }
}

} // namespace
} // namespace npu
