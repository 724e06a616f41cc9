// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about many boxes at once, answered without looking at every pair.

#ifndef NPU_LIB_PLACEMENT_BOXES_BOXSETS_H
#define NPU_LIB_PLACEMENT_BOXES_BOXSETS_H

#include "npu/Placement/Boxes/Box.h"

#include <utility>

namespace npu {

/// Orders boxes by their ranges, dimension 0 first. In this order, two empty
/// boxes may differ.
bool lexicographicLess(const Box &a, const Box &b);

/// The boxes that are not empty, sorted and without duplicates.
std::vector<Box> distinctBoxes(std::vector<Box> boxes);

/// Two of the boxes that overlap. Precondition: none is empty.
std::optional<std::pair<Box, Box>> findOverlap(std::vector<Box> boxes);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_BOXES_BOXSETS_H
