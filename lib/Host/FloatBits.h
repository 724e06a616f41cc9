// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of sixteen-bit floats (IEEE 754 binary16, and bf16, the upper
// half of a binary32), for which C++20 has no types.

#ifndef NPU_LIB_HOST_FLOATBITS_H
#define NPU_LIB_HOST_FLOATBITS_H

#include "llvm/ADT/APFloat.h"

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

/// Rounds to nearest, ties to even. Precondition: the value is not a
/// NaN.
inline uint16_t roundTo(const llvm::fltSemantics &type, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(type, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

/// Rounds to nearest, ties to even.
inline uint16_t doubleToHalf(double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xFE00 : 0x7E00;
  return roundTo(llvm::APFloat::IEEEhalf(), value);
}

/// Rounds to nearest, ties to even.
inline uint16_t doubleToBrainFloat(double value) {
  if (std::isnan(value))
    return 0x7FC0;
  return roundTo(llvm::APFloat::BFloat(), value);
}

} // namespace npu

#endif // NPU_LIB_HOST_FLOATBITS_H
