// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector whose capacity is part of its type. Boxes are made by the million
// while plans are computed, and their rank is small: no element of one may
// live on the heap.

#ifndef NPU_PLACEMENT_BOXES_FIXEDVECTOR_H
#define NPU_PLACEMENT_BOXES_FIXEDVECTOR_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

namespace npu {

/// Up to `Capacity` elements, stored in place. Precondition of every growing
/// member: the result fits. Code that reads user input checks that before.
template <typename T, std::size_t Capacity>
class FixedVector {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  constexpr FixedVector() = default;
  constexpr explicit FixedVector(std::size_t count, const T &value = T{})
      : count(count) {
    std::fill_n(elements.begin(), count, value);
  }
  constexpr FixedVector(std::initializer_list<T> init)
      : FixedVector(std::span<const T>(init.begin(), init.size())) {}
  constexpr explicit FixedVector(std::span<const T> values)
      : count(values.size()) {
    std::copy(values.begin(), values.end(), elements.begin());
  }

  static constexpr std::size_t capacity() { return Capacity; }
  constexpr std::size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }

  constexpr T *begin() { return elements.data(); }
  constexpr T *end() { return elements.data() + count; }
  constexpr const T *begin() const { return elements.data(); }
  constexpr const T *end() const { return elements.data() + count; }

  constexpr T &operator[](std::size_t i) { return elements[i]; }
  constexpr const T &operator[](std::size_t i) const { return elements[i]; }
  constexpr T &back() { return elements[count - 1]; }
  constexpr const T &back() const { return elements[count - 1]; }

  constexpr void push_back(const T &value) { elements[count++] = value; }
  constexpr void clear() { count = 0; }

  constexpr std::span<const T> span() const { return {begin(), count}; }

  friend constexpr bool operator==(const FixedVector &a, const FixedVector &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  std::array<T, Capacity> elements{};
  std::size_t count = 0;
};

} // namespace npu

#endif // NPU_PLACEMENT_BOXES_FIXEDVECTOR_H
