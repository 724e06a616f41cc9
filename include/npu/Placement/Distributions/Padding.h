// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of a tensor that are padding, and the tensor's real part: the tensor
// that is left when padding is taken out and the other entries close up. No
// result depends on padding, so that none of it has to move (docs/padding.md).

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_PADDING_H
#define NPU_PLACEMENT_DISTRIBUTIONS_PADDING_H

#include "npu/Placement/Distributions/Placement.h"

#include <span>

namespace npu {

/// Says that every entry whose index in dimension `dim` is in `range` is
/// padding.
struct PaddedRange {
  std::size_t dim = 0;
  Range range;

  friend bool operator==(const PaddedRange &, const PaddedRange &) = default;
};

/// At most one range per dimension, in increasing order of dimensions.
using Padding = std::vector<PaddedRange>;

/// Checks the ranges: "expected padding inside dimension 2 of extent 512, got
/// 336:600".
Result<> checkPadding(std::span<const PaddedRange> padding,
                      const Extents &shape);

/// The shape of the real part. Of 1x28x512x128 with 336:512 of dimension 2
/// padded, it is 1x28x336x128.
Extents realShape(const Extents &shape, std::span<const PaddedRange> padding);

/// The real entries of a box, as a box of the real part: for [384:512] in the
/// example above the empty box [336:336].
Box realPart(const Box &box, std::span<const PaddedRange> padding);
Placement realPart(const Placement &placement,
                   std::span<const PaddedRange> padding);

/// The boxes of the padded tensor that have the entries of a box of the real
/// part: two boxes for each dimension whose padding stands in the middle of the
/// box.
std::vector<Box> amongPadding(const Box &real,
                              std::span<const PaddedRange> padding);

/// The parts of `box` that are padding; they may overlap.
std::vector<Box> paddingIn(const Box &box,
                           std::span<const PaddedRange> padding);

/// The padding of the part `box` of a tensor with this padding, in the part's
/// own coordinates. Example: of [[0, 5, 8]], the part [4:8, 0:6] has
/// [[0, 1, 4]].
Padding paddingOfPart(std::span<const PaddedRange> padding, const Box &box);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_PADDING_H
