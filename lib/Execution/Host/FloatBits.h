// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of sixteen-bit floats (IEEE 754 binary16, and bf16, the upper
// half of a binary32), for which C++20 has no types.

#ifndef NPU_LIB_EXECUTION_HOST_FLOATBITS_H
#define NPU_LIB_EXECUTION_HOST_FLOATBITS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace npu {

inline double halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude =
      exponent == 31  ? (fraction ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity())
      : exponent == 0 ? std::ldexp(fraction, -24)
                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even.
inline uint16_t doubleToHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7E00;
  if (magnitude >= 65520)
    return sign | 0x7C00;
  if (magnitude == 0)
    return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude < 2^exponent
  // The step between neighbours: 2^-24 for subnormals, 2^(exponent - 11) above.
  int step = std::max(exponent - 11, -24);
  auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -step)));
  // A carry out of the fraction increases the exponent, as it should.
  return sign | static_cast<uint16_t>(
                    step == -24 ? units : ((step + 24) << 10) + units);
}

/// Rounds to nearest, ties to even. Precondition: the value is representable as
/// a float.
inline uint16_t doubleToBrainFloat(double value) {
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value))
    return 0x7FC0;
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

} // namespace npu

#endif // NPU_LIB_EXECUTION_HOST_FLOATBITS_H
