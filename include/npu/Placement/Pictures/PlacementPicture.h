// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of placements for terminals: what each tile computes and holds.

#ifndef NPU_PLACEMENT_PICTURES_PLACEMENTPICTURE_H
#define NPU_PLACEMENT_PICTURES_PLACEMENTPICTURE_H

#include "npu/Placement/Distributions/Padding.h"

#include <string>

namespace npu {

/// What the characters of a placement's picture say.
inline constexpr std::string_view placementLegend =
    "# computes   * computes, as other tiles do   + only holds   . padding";

/// A picture of every tile's boxes in lines of at most 80 columns, which begin
/// with `indent` blanks. It has the dimensions that tiles or padding cut, in
/// memory order: one from left to right, two as rows and columns, and three as
/// one picture of rows and columns for each range of the first. Of more, it has
/// the three of the largest extents, and names the others. A part that
/// stands between the borders of boxes has a column of its own, however small
/// it is, so that columns are to scale only where there is room. At most
/// `mostTiles` tiles are drawn, or all of them for 0. `order` is as in Layout.
///
/// Example, rows 0:4 and 4:8 of two tiles, which both hold one row more:
///
///   dimension 0 of 8 entries, from left to right
///          0   1   2   3   4   5   6   7   8
///   tile 0 |################++++            |
///   tile 1 |            ++++################|
std::string pictureOf(const Placement &placement, const Permutation &order,
                      std::span<const PaddedRange> padding,
                      std::size_t mostTiles, std::size_t indent);

} // namespace npu

#endif // NPU_PLACEMENT_PICTURES_PLACEMENTPICTURE_H
