// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cutting the pieces of groups into the shares of their senders.

#ifndef NPU_LIB_PLACEMENT_CUTPIECES_H
#define NPU_LIB_PLACEMENT_CUTPIECES_H

#include "Pieces.h"
#include "SenderForest.h"

namespace npu {

/// Gives each sender of each group a run of the group's pieces, in the order
/// that `orders` says. `groupPieces[g]` are the pieces of group g; the result
/// has tiles for senders. Shares are rounded to slices of the boxes they end
/// in, so that no tile sends one slice more than its shares; among those
/// roundings, one under which no tile sends more than `limit` is preferred.
std::vector<Piece> cutPieces(const SenderProblem &problem,
                             const std::vector<int64_t> &shares,
                             const std::vector<GroupOrder> &orders,
                             const std::vector<std::vector<Piece>> &groupPieces,
                             int64_t limit);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_CUTPIECES_H
