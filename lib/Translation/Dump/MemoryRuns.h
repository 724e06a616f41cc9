// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes as runs of consecutive entries of a tensor's memory. A reshape keeps
// the memory and changes the boxes, so that its two sides are compared by runs.

#ifndef NPU_LIB_TRANSLATION_DUMP_MEMORYRUNS_H
#define NPU_LIB_TRANSLATION_DUMP_MEMORYRUNS_H

#include "npu/Placement/Distributions/Order.h"

#include <optional>
#include <vector>

namespace npu {

/// The runs of a box, sorted and as long as possible, in a tensor of that shape
/// and memory order; nothing where there are more than 65,536. Example: rows
/// 2:4 of 8x16 in identity order are the run 32:64.
std::optional<std::vector<Range>> runsOf(const Box &box, const Extents &shape,
                                         const Permutation &order);

/// How many entries of `wanted` are not in `held`. Both are sorted.
int64_t countMissing(const std::vector<Range> &wanted,
                     const std::vector<Range> &held);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_MEMORYRUNS_H
