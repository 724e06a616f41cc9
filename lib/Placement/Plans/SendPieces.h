// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From pieces to transfers: joins them, and chooses who sends them.

#ifndef NPU_LIB_PLACEMENT_PLANS_SENDPIECES_H
#define NPU_LIB_PLACEMENT_PLANS_SENDPIECES_H

#include "Pieces.h"
#include "npu/Placement/Distributions/Padding.h"

namespace npu {

/// Joins pieces that the same tiles hold and miss, replaces the set of holders
/// of each by one sending tile (AssignSenders.h), whose bound is returned, and
/// joins again what one tile then sends to the same others. Pieces are of the
/// real part before and boxes of the padded tensor after; `multiples` are those
/// of the real part. Precondition: pieces of equal sets are disjoint.
Result<int64_t> sendPieces(std::vector<Piece> &pieces, const TileSets &sets,
                           std::size_t tileCount,
                           std::span<const PaddedRange> padding,
                           const Extents &multiples);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_SENDPIECES_H
