// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of a tensor that are padding, and the tensor's real part: what is
// left when they are taken out and the others close up. Whatever padding holds,
// nobody needs it, so nothing of it has to move (docs/padding.md).

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_PADDING_H
#define NPU_PLACEMENT_DISTRIBUTIONS_PADDING_H

#include "npu/Placement/Distributions/Placement.h"

#include <span>

namespace npu {

/// Every entry with an index of `range` in dimension `dim` is padding.
struct PaddedRange {
  std::size_t dim = 0;
  Range range;

  friend bool operator==(const PaddedRange &, const PaddedRange &) = default;
};

/// At most one range per dimension, in increasing order of dimensions.
using Padding = std::vector<PaddedRange>;

/// "expected padding inside dimension 2 of extent 512, got 336:600".
Check checkPadding(std::span<const PaddedRange> padding, const Extents &shape);

/// The real part's shape. 1x28x512x128 with 336:512 of dimension 2 padded is
/// 1x28x336x128.
Extents realShape(const Extents &shape, std::span<const PaddedRange> padding);

/// What of a box is real, as a box of the real part: [384:512] is [336:336],
/// nothing.
Box realPart(const Box &box, std::span<const PaddedRange> padding);
Placement realPart(const Placement &placement,
                   std::span<const PaddedRange> padding);

/// Where the entries of a box of the real part lie: two boxes for each
/// dimension whose padding stands in the box's middle.
std::vector<Box> amongPadding(const Box &real,
                              std::span<const PaddedRange> padding);

/// The parts of `box` that are padding; they may overlap.
std::vector<Box> paddingIn(const Box &box,
                           std::span<const PaddedRange> padding);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_PADDING_H
