// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/Extent.h"

#include <algorithm>

namespace npu {
namespace {

Extent linear(int64_t factor, int64_t number) {
  if (factor == 0)
    return fixed(number);
  if (factor == 1 && number == 0)
    return {Extent::Prompt};
  return {Extent::Linear, number, false, factor};
}

/// An extent as factor * length + number.
struct Line {
  int64_t factor, number;
};

std::optional<Line> lineOf(const Extent &extent) {
  switch (extent.kind) {
  case Extent::Fixed:
    return Line{0, extent.number};
  case Extent::Prompt:
    return Line{1, 0};
  case Extent::Linear:
    return Line{extent.factor, extent.number};
  default:
    return std::nullopt;
  }
}

} // namespace

int64_t Extent::at(int64_t length) const {
  switch (kind) {
  case Fixed:
    return number;
  case Prompt:
    return length;
  case Falling:
    return number - length;
  case Multiple:
    return number * length;
  case Longer:
    return length + number;
  case Quotient:
    return length / number;
  case Remainder:
    return length % number;
  case AtLeast:
    return std::max(length, number);
  case AtMost:
    return std::min(length, number);
  case Linear:
    return factor * length + number;
  }
  return 0;
}

Dims fixedDims(const std::vector<int64_t> &extents) {
  Dims dims;
  for (int64_t extent : extents)
    dims.push_back(fixed(extent));
  return dims;
}

std::optional<Extent> sum(const Extent &a, const Extent &b) {
  std::optional<Line> x = lineOf(a), y = lineOf(b);
  if (!x || !y)
    return std::nullopt;
  return linear(x->factor + y->factor, x->number + y->number);
}

std::optional<Extent> product(const Extent &a, const Extent &b) {
  std::optional<Line> x = lineOf(a), y = lineOf(b);
  if (!x || !y || (x->factor != 0 && y->factor != 0))
    return std::nullopt;
  return linear(x->factor * y->number + y->factor * x->number,
                x->number * y->number);
}

std::optional<Extent> quotient(const Extent &a, int64_t by) {
  std::optional<Line> x = lineOf(a);
  if (!x || x->factor % by != 0 || x->number % by != 0)
    return std::nullopt;
  return linear(x->factor / by, x->number / by);
}

} // namespace npu
