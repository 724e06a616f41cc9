// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares results element by element.

#include "npu/Execution/Compare/CompareTensors.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace npu {
namespace {

/// The position of a number among all numbers of its type, in which
/// representable neighbours differ by 1. Both zeros of a float are at 0.
int64_t positionOf(ElementType type, uint64_t bits) {
  int64_t width = bitSize(type);
  if (!isFloat(type)) {
    if (type == ElementType::U64)
      return static_cast<int64_t>(bits ^ (uint64_t{1} << 63));
    if (!isSigned(type))
      return static_cast<int64_t>(bits);
    return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  }
  uint64_t sign = uint64_t{1} << (width - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

uint64_t distance(int64_t a, int64_t b) {
  return a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
               : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
}

/// Whether both elements have the same bits or are NaN.
bool isSame(const HostTensor &a, const HostTensor &b, int64_t index) {
  return bitsAt(a, index) == bitsAt(b, index) ||
         (std::isnan(valueAt(a, index)) && std::isnan(valueAt(b, index)));
}

} // namespace

Result<Tolerance> parseTolerance(const std::string &text) {
  Tolerance tolerance;
  const char *begin = text.data(), *end = begin + text.size();
  if (text.ends_with("ulp")) {
    auto [rest, error] = std::from_chars(begin, end - 3, tolerance.ulp);
    if (error == std::errc() && rest == end - 3)
      return tolerance;
  } else {
    auto [rest, error] = std::from_chars(begin, end, tolerance.absolute);
    if (error == std::errc() && rest == end && tolerance.absolute >= 0 &&
        std::isfinite(tolerance.absolute))
      return tolerance;
  }
  return Error{fmt::format("--tolerance: expected a number that is not "
                           "negative, or steps as in 4ulp, got '{}'",
                           text)};
}

Comparison compareTensors(const HostTensor &expected, const HostTensor &got,
                          const Tolerance &tolerance,
                          const HostTensor *replay) {
  Comparison result;
  ElementType type = expected.spec.type;
  result.elements = expected.spec.elements();
  if (std::memcmp(expected.buffer.data(), got.buffer.data(),
                  expected.buffer.size()) == 0)
    return result;
  bool exact = tolerance.absolute == 0 && tolerance.ulp == 0;
  for (int64_t i = 0; i < result.elements; ++i) {
    uint64_t a = bitsAt(expected, i), b = bitsAt(got, i);
    if (a == b)
      continue;
    double x = valueAt(expected, i), y = valueAt(got, i);
    bool xIsNan = std::isnan(x), yIsNan = std::isnan(y);
    if (xIsNan && yIsNan)
      continue;
    bool oneIsNan = xIsNan || yIsNan;
    double absolute =
        oneIsNan ? std::numeric_limits<double>::infinity() : std::fabs(x - y);
    uint64_t ulp = oneIsNan
                       ? std::numeric_limits<uint64_t>::max()
                       : distance(positionOf(type, a), positionOf(type, b));
    bool areFinite = std::isfinite(x) && std::isfinite(y);
    bool tolerated = areFinite && !exact &&
                     (absolute <= tolerance.absolute || ulp <= tolerance.ulp);
    bool isReplay = replay && isSame(*replay, got, i);
    bool beyond = !areFinite || (!tolerated && !isReplay);
    result.replayed += !beyond && !tolerated;
    result.overflowed += !areFinite && isReplay;
    if (!result.first || (beyond && result.beyond == 0))
      result.first = i;
    ++result.different;
    result.beyond += beyond;
    result.maxAbsolute = std::max(result.maxAbsolute, absolute);
    result.maxUlp = std::max(result.maxUlp, ulp);
  }
  return result;
}

} // namespace npu
