// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sixteen-bit floats against a table that counts them up from zero, one step
// between neighbours at a time. Rounding is asked at the only places where it
// changes: halfway between neighbours, and next to that on either side.

#include "Host/FloatBits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace npu {
namespace {

/// The finite numbers of a type that are not negative, in increasing order,
/// each at the index that is its bits; and one more at the end, which would be
/// next if there were no infinity.
std::vector<double> countUp(int fractionBits, int smallestExponent,
                            int numbers) {
  std::vector<double> values{0.0};
  double step = std::ldexp(1.0, smallestExponent);
  int perStep = 1 << fractionBits;
  for (int bits = 1; bits <= numbers; ++bits) {
    values.push_back(values.back() + step);
    // Twice as wide where the next exponent begins, but for the subnormals and
    // the first normal numbers, which share their step.
    if (bits % perStep == 0 && bits > perStep)
      step *= 2;
  }
  return values;
}

/// 2^-24 to 65504, and 65536.
std::vector<double> halves() { return countUp(10, -24, 0x7C00); }
/// 2^-133 to about 3.39e38, and 2^128.
std::vector<double> brainFloats() { return countUp(7, -133, 0x7F80); }

/// The index of the nearest value, of two that are as near the even one.
uint16_t nearestOf(const std::vector<double> &values, double magnitude) {
  size_t above = 0;
  while (above < values.size() && values[above] < magnitude)
    ++above;
  if (above == values.size() || above == 0)
    return above == 0 ? 0 : values.size() - 1;
  double up = values[above] - magnitude, down = magnitude - values[above - 1];
  if (up != down)
    return up < down ? above : above - 1;
  return above % 2 == 0 ? above : above - 1;
}

TEST(FloatBitsTest, EveryHalfIsWhatCountingSays) {
  std::vector<double> values = halves();
  EXPECT_EQ(values[0x3C00], 1.0);
  EXPECT_EQ(values[0x7BFF], 65504.0);
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    ASSERT_EQ(halfToDouble(bits), values[bits]) << bits;
    ASSERT_EQ(halfToDouble(bits | 0x8000), -values[bits]) << bits;
    ASSERT_EQ(doubleToHalf(values[bits]), bits);
    ASSERT_EQ(doubleToHalf(-values[bits]), bits | 0x8000);
  }
  EXPECT_TRUE(std::signbit(halfToDouble(0x8000)));
  EXPECT_EQ(halfToDouble(0x7C00), std::numeric_limits<double>::infinity());
  EXPECT_EQ(halfToDouble(0xFC00), -std::numeric_limits<double>::infinity());
  for (uint32_t bits = 0x7C01; bits < 0x8000; ++bits) {
    ASSERT_TRUE(std::isnan(halfToDouble(bits)));
    ASSERT_TRUE(std::isnan(halfToDouble(bits | 0x8000)));
    // A quiet NaN again, and none that has become an infinity.
    ASSERT_EQ(doubleToHalf(halfToDouble(bits)) & 0x7E00, 0x7E00);
  }
}

TEST(FloatBitsTest, HalvesRoundAtTheMiddleOfNeighbours) {
  std::vector<double> values = halves();
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    double middle = (values[bits] + values[bits + 1]) / 2;
    uint16_t even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(doubleToHalf(middle), even) << bits;
    ASSERT_EQ(doubleToHalf(-middle), even | 0x8000) << bits;
    ASSERT_EQ(doubleToHalf(std::nextafter(middle, 0.0)), bits);
    ASSERT_EQ(doubleToHalf(std::nextafter(middle, 1e6)), bits + 1);
  }
  EXPECT_EQ(doubleToHalf(1e300), 0x7C00);
  EXPECT_EQ(doubleToHalf(-1e300), 0xFC00);
  EXPECT_EQ(doubleToHalf(1e-300), 0);
  EXPECT_EQ(doubleToHalf(-std::numeric_limits<double>::denorm_min()), 0x8000);
}

TEST(FloatBitsTest, BrainFloatsRoundAtTheMiddleOfNeighbours) {
  std::vector<double> values = brainFloats();
  EXPECT_EQ(values[0x3F80], 1.0);
  EXPECT_EQ(values[0x7F80], std::ldexp(1.0, 128));
  for (uint32_t bits = 0; bits < 0x7F80; ++bits) {
    ASSERT_EQ(doubleToBrainFloat(values[bits]), bits);
    ASSERT_EQ(doubleToBrainFloat(-values[bits]), bits | 0x8000);
    // Neighbours of a float are floats, as every input is.
    auto middle = static_cast<float>((values[bits] + values[bits + 1]) / 2);
    uint16_t even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(doubleToBrainFloat(middle), even) << bits;
    ASSERT_EQ(doubleToBrainFloat(-middle), even | 0x8000) << bits;
    ASSERT_EQ(doubleToBrainFloat(std::nextafterf(middle, 0.0f)), bits);
    ASSERT_EQ(doubleToBrainFloat(std::nextafterf(
                  middle, std::numeric_limits<float>::infinity())),
              bits + 1);
  }
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(doubleToBrainFloat(infinity), 0x7F80);
  EXPECT_EQ(doubleToBrainFloat(-infinity), 0xFF80);
  // Every NaN, also one whose upper half alone would be an infinity.
  for (uint32_t bits : {0x7F800001u, 0x7FBFFFFFu, 0x7FFFFFFFu, 0xFFFFFFFFu})
    EXPECT_EQ(doubleToBrainFloat(std::bit_cast<float>(bits)), 0x7FC0);
}

TEST(FloatBitsTest, AnyNumberGoesToItsNearest) {
  std::vector<double> half = halves(), brain = brainFloats();
  std::mt19937 random(10);
  for (int i = 0; i < 2000; ++i) {
    auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(value))
      continue;
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    double magnitude = std::fabs(value);
    ASSERT_EQ(doubleToHalf(value), sign | nearestOf(half, magnitude)) << value;
    ASSERT_EQ(doubleToBrainFloat(value), sign | nearestOf(brain, magnitude))
        << value;
    // And in the range of halves, with more digits than a float has.
    double near = std::ldexp(1 + random() / 4294967296.0,
                             static_cast<int>(random() % 42) - 26);
    ASSERT_EQ(doubleToHalf(near), nearestOf(half, near)) << near;
  }
}

} // namespace
} // namespace npu
