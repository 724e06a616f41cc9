// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents that follow from a prompt's length, as plain data.

#ifndef NPU_FUZZ_FUNCTIONS_EXTENT_H
#define NPU_FUZZ_FUNCTIONS_EXTENT_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace npu {

/// How many entries a dimension has where the prompt has `length`.
struct Extent {
  enum Kind : uint8_t {
    Linear,    // factor * length + number
    Quotient,  // length floordiv number
    Remainder, // length mod number
    AtLeast,   // max(length, number)
    AtMost     // min(length, number)
  };
  Kind kind = Linear;
  int64_t number = 1;
  int64_t factor = 0;
  /// Whether affine.apply, affine.max or affine.min computes the extent,
  /// instead of arith.
  bool byAffine = false;

  int64_t at(int64_t length) const;
  bool grows() const { return kind != Linear || factor != 0; }
  bool isPrompt() const { return kind == Linear && factor == 1 && number == 0; }
  /// Whether both extents are the same number at every length.
  bool operator==(const Extent &other) const {
    return kind == other.kind && number == other.number &&
           factor == other.factor;
  }
};

/// The extents of a tensor.
using Dims = std::vector<Extent>;

inline constexpr Extent fixed(int64_t number) {
  return {Extent::Linear, number};
}
template <typename Range = std::initializer_list<int64_t>>
Dims fixedDims(const Range &extents) {
  Dims dims;
  for (int64_t extent : extents)
    dims.push_back(fixed(extent));
  return dims;
}
inline constexpr Extent kPrompt = {Extent::Linear, 0, 1};

/// Arithmetic on linear extents; nothing where the result is none.
std::optional<Extent> sum(const Extent &a, const Extent &b);
std::optional<Extent> product(const Extent &a, const Extent &b);
std::optional<Extent> quotient(const Extent &a, int64_t by);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_EXTENT_H
