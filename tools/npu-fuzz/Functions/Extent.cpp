// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/Extent.h"

#include <algorithm>

namespace npu {

int64_t Extent::at(int64_t length) const {
  switch (kind) {
  case Linear:
    return factor * length + number;
  case Quotient:
    return length / number;
  case Remainder:
    return length % number;
  case AtLeast:
    return std::max(length, number);
  case AtMost:
    return std::min(length, number);
  }
  return 0;
}

std::optional<Extent> sum(const Extent &a, const Extent &b) {
  if (a.kind != Extent::Linear || b.kind != Extent::Linear)
    return std::nullopt;
  return Extent{Extent::Linear, a.number + b.number, a.factor + b.factor};
}

std::optional<Extent> product(const Extent &a, const Extent &b) {
  if (a.kind != Extent::Linear || b.kind != Extent::Linear ||
      (a.factor != 0 && b.factor != 0))
    return std::nullopt;
  return Extent{Extent::Linear, a.number * b.number,
                a.factor * b.number + b.factor * a.number};
}

std::optional<Extent> quotient(const Extent &a, int64_t by) {
  if (a.kind != Extent::Linear || a.factor % by != 0 || a.number % by != 0)
    return std::nullopt;
  return Extent{Extent::Linear, a.number / by, a.factor / by};
}

} // namespace npu
