// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NonFinite.h"

#include <fmt/format.h>

#include <cmath>

namespace npu {

NonFiniteCount countNonFinite(const HostTensor &tensor, const HostTensor *other,
                              bool mayBeUnwritten) {
  NonFiniteCount count;
  if (!isFloat(tensor.spec.type))
    return count;
  HostTensor unwritten({tensor.spec.type, {}});
  uint64_t poisoned = bitsAt(unwritten, 0);
  for (int64_t i = 0, end = tensor.spec.elements(); i < end; ++i) {
    double value = valueAt(tensor, i);
    double beside = other ? valueAt(*other, i) : value;
    if (mayBeUnwritten && bitsAt(tensor, i) == poisoned)
      continue;
    ++count.entries;
    if (std::isfinite(value) || std::isfinite(beside))
      continue;
    bool isNan = std::isnan(value) || std::isnan(beside);
    ++(isNan ? count.nan : count.infinite);
  }
  return count;
}

std::string toString(const NonFiniteCount &count) {
  return fmt::format("{} of {} entries are NaN or infinite ({} NaN, {} "
                     "infinite)",
                     count.total(), count.entries, count.nan, count.infinite);
}

} // namespace npu
