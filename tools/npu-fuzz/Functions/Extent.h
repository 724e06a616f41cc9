// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents that follow from a prompt's length, as plain data.

#ifndef NPU_FUZZ_FUNCTIONS_EXTENT_H
#define NPU_FUZZ_FUNCTIONS_EXTENT_H

#include <cstdint>
#include <optional>
#include <vector>

namespace npu {

/// How many entries a dimension has where the prompt has `length`.
struct Extent {
  enum Kind : uint8_t {
    Fixed,     // number
    Prompt,    // length
    Falling,   // number - length; the number is at least the longest length
    Multiple,  // number * length
    Longer,    // length + number
    Quotient,  // length floordiv number
    Remainder, // length mod number
    AtLeast,   // max(length, number)
    AtMost,    // min(length, number)
    Linear     // factor * length + number
  };
  Kind kind = Fixed;
  int64_t number = 1;
  /// Whether affine.apply, affine.max or affine.min computes the extent,
  /// instead of arith.
  bool byAffine = false;
  int64_t factor = 1;

  int64_t at(int64_t length) const;
  bool grows() const { return kind != Fixed; }
  /// Whether both extents are the same number at every length.
  bool operator==(const Extent &other) const {
    return kind == other.kind && (kind == Prompt || number == other.number) &&
           (kind != Linear || factor == other.factor);
  }
};

/// The extents of a tensor.
using Dims = std::vector<Extent>;

inline Extent fixed(int64_t number) { return {Extent::Fixed, number}; }
Dims fixedDims(const std::vector<int64_t> &extents);

/// Arithmetic on extents that are Fixed, Prompt or Linear; nothing where the
/// result is none of these.
std::optional<Extent> sum(const Extent &a, const Extent &b);
std::optional<Extent> product(const Extent &a, const Extent &b);
std::optional<Extent> quotient(const Extent &a, int64_t by);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_EXTENT_H
