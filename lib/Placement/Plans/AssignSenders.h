// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of a sender for every piece among the tiles that hold it.

#ifndef NPU_LIB_PLACEMENT_PLANS_ASSIGNSENDERS_H
#define NPU_LIB_PLACEMENT_PLANS_ASSIGNSENDERS_H

#include "AllowedCuts.h"
#include "Pieces.h"

namespace npu {

/// The most pairs of a piece and a tile that holds it which a plan may have:
/// some 500 MB of working memory.
inline constexpr std::size_t kMaxEdges = std::size_t(1) << 24;

/// Replaces the set of holders of each piece by one sending tile, cutting boxes
/// where needed, so that the busiest sender sends less than one slice more than
/// the least possible maximum of any cuts, which is returned. Cuts each box
/// along one dimension, where `cuts` allows it, and adds at most one piece per
/// tile.
Result<int64_t> assignSenders(std::vector<Piece> &pieces, const TileSets &sets,
                              std::size_t tileCount, const AllowedCuts &cuts);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_ASSIGNSENDERS_H
