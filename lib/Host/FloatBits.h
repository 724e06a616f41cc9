// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of sixteen-bit floats (IEEE 754 binary16, and bf16, the upper
// half of a binary32), for which C++20 has no types.

#ifndef NPU_LIB_HOST_FLOATBITS_H
#define NPU_LIB_HOST_FLOATBITS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace npu {

/// Converts exactly. Comparisons and audits read every entry with it, so that
/// it puts the bits where a double has them: ldexp would take several times as
/// long, and APFloat::convertToDouble more.
inline double halfToDouble(uint16_t bits) {
  uint64_t exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude =
      exponent == 31  ? (fraction ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity())
      : exponent == 0 ? static_cast<double>(fraction) * 0x1p-24
                      : std::bit_cast<double>((exponent + (1023 - 15)) << 52 |
                                              fraction << 42);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even, to a type of so many bits of fraction, and
/// gives its bits. Generated inputs and files of other types go through it
/// entry by entry, so that it works on the bits of a double: APFloat::convert
/// would take several times as long. Precondition: the value is not a NaN.
template <int fractionBits, int bias>
uint16_t roundTo(double value) {
  constexpr auto leastNormal =
      std::bit_cast<double>(uint64_t{1023 + 1 - bias} << 52);
  constexpr auto leastsInOne =
      std::bit_cast<double>(uint64_t{1023 + bias - 1 + fractionBits} << 52);
  constexpr auto infinity = uint64_t{2 * bias + 1} << fractionBits;
  constexpr int dropped = 52 - fractionBits;
  double magnitude = std::fabs(value);
  auto bits = std::bit_cast<uint64_t>(magnitude);
  if (magnitude < leastNormal) {
    bits = static_cast<uint64_t>(std::nearbyint(magnitude * leastsInOne));
  } else {
    // What is added carries into the fraction that stays, and from there into
    // the exponent, where less than that is not rounded up.
    uint64_t isOdd = bits >> dropped & 1;
    bits = (bits + (uint64_t{1} << (dropped - 1)) - 1 + isOdd) >> dropped;
    bits = std::min(bits - (uint64_t{1023 - bias} << fractionBits), infinity);
  }
  return static_cast<uint16_t>(std::signbit(value) ? bits | 0x8000 : bits);
}

/// Rounds to nearest, ties to even.
inline uint16_t doubleToHalf(double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xFE00 : 0x7E00;
  return roundTo<10, 15>(value);
}

/// Rounds to nearest, ties to even.
inline uint16_t doubleToBrainFloat(double value) {
  if (std::isnan(value))
    return 0x7FC0;
  return roundTo<7, 127>(value);
}

} // namespace npu

#endif // NPU_LIB_HOST_FLOATBITS_H
