// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cutting the pieces of groups into the shares of their senders.

#ifndef NPU_LIB_PLACEMENT_PLANS_CUTPIECES_H
#define NPU_LIB_PLACEMENT_PLANS_CUTPIECES_H

#include "AllowedCuts.h"
#include "Pieces.h"
#include "SenderForest.h"

namespace npu {

/// The pieces of each group, side by side.
struct GroupPieces {
  std::vector<Piece> pieces;
  std::vector<uint32_t> begin{0};

  std::span<const Piece> operator[](uint32_t group) const {
    return std::span(pieces).subspan(begin[group],
                                     begin[group + 1] - begin[group]);
  }
};

/// Gives each sender of each group a run of the group's pieces, in the order of
/// `orders`, as close to its share as slices allow. The senders of the
/// resulting pieces are tiles. No tile sends a whole slice more than its
/// shares. A slice has `cuts.multiples` entries along the dimension of the cut.
std::vector<Piece> cutPieces(const SenderProblem &problem,
                             const std::vector<int64_t> &shares,
                             const GroupOrders &orders,
                             const GroupPieces &groupPieces,
                             const AllowedCuts &cuts);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_CUTPIECES_H
