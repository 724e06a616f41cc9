// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing, for every piece, which of the tiles that hold it sends it.

#ifndef NPU_LIB_PLACEMENT_PLANS_ASSIGNSENDERS_H
#define NPU_LIB_PLACEMENT_PLANS_ASSIGNSENDERS_H

#include "Pieces.h"

namespace npu {

/// Pairs of a piece and a tile that holds it which a plan may have: some 500 MB
/// of working memory.
inline constexpr std::size_t kMaxEdges = std::size_t(1) << 24;

/// Replaces sets of holders by one sending tile each, cutting boxes where
/// needed, so that the busiest sender is within one slice of the least
/// possible. Returns that least possible maximum. Cuts each box along one
/// dimension, and makes at most one piece more per tile than there were.
Result<int64_t> assignSenders(std::vector<Piece> &pieces, const TileSets &sets,
                              std::size_t tileCount);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_ASSIGNSENDERS_H
