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
  auto read = [](std::string_view number, auto &value) {
    auto [rest, error] =
        std::from_chars(number.data(), number.data() + number.size(), value);
    return error == std::errc() && rest == number.data() + number.size();
  };
  auto isDistance = [](double value) {
    return value >= 0 && std::isfinite(value);
  };
  std::string_view rest = text;
  for (bool more = true; more;) {
    std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    std::string_view item = rest.substr(0, comma);
    rest.remove_prefix(more ? comma + 1 : rest.size());
    std::string_view number =
        item.substr(0, item.size() - std::min<std::size_t>(3, item.size()));
    bool isRead =
        item == "top1"          ? (tolerance.top1 = true)
        : item.ends_with("ulp") ? read(number, tolerance.ulp)
        : item.ends_with("rel")
            ? read(number, tolerance.relative) && isDistance(tolerance.relative)
            : read(item, tolerance.absolute) && isDistance(tolerance.absolute);
    if (!isRead)
      return Error{fmt::format(
          "--tolerance: expected a number that is not negative, a share of "
          "what "
          "is expected as in 0.01rel, steps as in 4ulp, or top1, got '{}'",
          text)};
  }
  return tolerance;
}

/// The place of the largest of a row's elements, the first of equal ones; -1
/// where one is a NaN.
static int64_t largestOf(const HostTensor &tensor, int64_t begin,
                         int64_t length) {
  int64_t largest = 0;
  for (int64_t i = 0; i < length; ++i) {
    double value = valueAt(tensor, begin + i);
    if (std::isnan(value))
      return -1;
    if (value > valueAt(tensor, begin + largest))
      largest = i;
  }
  return largest;
}

Comparison compareTensors(const HostTensor &expected, const HostTensor &got,
                          const Tolerance &tolerance,
                          const HostTensor *replay) {
  Comparison result;
  ElementType type = expected.spec.type;
  result.elements = expected.spec.elements();
  if (std::memcmp(expected.buffer.data(), got.buffer.data(),
                  expected.buffer.size()) == 0) {
    if (tolerance.top1 && !expected.spec.shape.empty() &&
        expected.spec.shape.back() > 0)
      result.rows = result.rowsAgree =
          result.elements / expected.spec.shape.back();
    return result;
  }
  bool exact = tolerance == Tolerance();
  int64_t length = expected.spec.shape.empty() ? 1 : expected.spec.shape.back();
  std::vector<bool> agrees;
  if (tolerance.top1 && length > 0) {
    result.rows = result.elements / length;
    for (int64_t row = 0; row < result.rows; ++row) {
      int64_t wanted = largestOf(expected, row * length, length);
      agrees.push_back(wanted >= 0 &&
                       wanted == largestOf(got, row * length, length));
      result.rowsAgree += agrees.back();
    }
  }
  for (int64_t i = 0; i < result.elements; ++i) {
    uint64_t a = bitsAt(expected, i), b = bitsAt(got, i);
    if (a == b)
      continue;
    double x = valueAt(expected, i), y = valueAt(got, i);
    bool xIsNan = std::isnan(x), yIsNan = std::isnan(y);
    if (xIsNan && yIsNan)
      continue;
    bool oneIsNan = xIsNan || yIsNan;
    uint64_t ulp =
        oneIsNan ? 0 : distance(positionOf(type, a), positionOf(type, b));
    // Large integers differ by less than neighbours among doubles.
    double absolute = oneIsNan        ? std::numeric_limits<double>::infinity()
                      : isFloat(type) ? std::fabs(x - y)
                                      : static_cast<double>(ulp);
    bool areFinite = std::isfinite(x) && std::isfinite(y);
    bool tolerated = areFinite && !exact &&
                     ((!agrees.empty() && agrees[i / length]) ||
                      absolute <= tolerance.absolute || ulp <= tolerance.ulp ||
                      absolute <= tolerance.relative * std::fabs(x));
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
    result.hasNanOnOneSide |= oneIsNan;
  }
  return result;
}

} // namespace npu
