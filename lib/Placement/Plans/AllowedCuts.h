// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a box may be cut to share it out among senders.

#ifndef NPU_LIB_PLACEMENT_PLANS_ALLOWEDCUTS_H
#define NPU_LIB_PLACEMENT_PLANS_ALLOWEDCUTS_H

#include "npu/Placement/Boxes/Box.h"

#include <algorithm>

namespace npu {

/// Cuts along each dimension stand at multiples of a number, counted from the
/// tensor's beginning; nowhere where that is 0. Without numbers, they stand
/// anywhere.
class AllowedCuts {
public:
  explicit AllowedCuts(const Extents &multiples) : multiples(multiples) {}

  /// The last place at or before a position in `range` where a cut may stand.
  /// Its bounds, where nothing is cut off, are such places.
  int64_t atOrBefore(std::size_t dim, int64_t position, Range range) const {
    int64_t multiple = multipleOf(dim);
    if (position == range.end || multiple == 1)
      return position;
    return multiple == 0
               ? range.begin
               : std::max(range.begin, position / multiple * multiple);
  }

  /// The entries of a slice along a dimension of a box: the most of a range
  /// between two cuts that are next to each other.
  int64_t thicknessOf(std::size_t dim, Range range) const {
    int64_t multiple = multipleOf(dim);
    return multiple == 0 ? range.extent() : std::min(multiple, range.extent());
  }

  /// Whether cuts may stand anywhere.
  bool areFree() const {
    return std::all_of(multiples.begin(), multiples.end(),
                       [](int64_t multiple) { return multiple == 1; });
  }

private:
  int64_t multipleOf(std::size_t dim) const {
    return multiples.empty() ? 1 : multiples[dim];
  }

  const Extents &multiples;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_ALLOWEDCUTS_H
