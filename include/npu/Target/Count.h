// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of cycles, elements and bytes that cannot overflow.

#ifndef NPU_TARGET_COUNT_H
#define NPU_TARGET_COUNT_H

#include <compare>
#include <cstdint>
#include <limits>

namespace npu {

/// A count that stays at the largest number instead of overflowing. Counts are
/// never negative.
struct Count {
  static constexpr int64_t most = std::numeric_limits<int64_t>::max();

  int64_t value = 0;

  Count operator+(Count other) const {
    int64_t sum = 0;
    return {__builtin_add_overflow(value, other.value, &sum) ? most : sum};
  }
  Count operator*(Count other) const {
    int64_t product = 0;
    return {__builtin_mul_overflow(value, other.value, &product) ? most
                                                                 : product};
  }
  Count &operator+=(Count other) { return *this = *this + other; }
  Count &operator*=(Count other) { return *this = *this * other; }
  auto operator<=>(const Count &) const = default;
};

/// What is too large to be known stays so when it is divided.
inline Count dividedUp(Count count, int64_t by) {
  if (count.value == Count::most)
    return count;
  return {count.value / by + (count.value % by != 0)};
}

} // namespace npu

#endif // NPU_TARGET_COUNT_H
