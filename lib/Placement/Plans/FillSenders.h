// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaches the least possible maximum of the senders exactly, where rounding
// shares to slices misses it.

#ifndef NPU_LIB_PLACEMENT_PLANS_FILLSENDERS_H
#define NPU_LIB_PLACEMENT_PLANS_FILLSENDERS_H

#include "CutPieces.h"

#include <optional>

namespace npu {

/// Searches for an assignment of whole slices under which no tile sends more
/// than `limit`. The search is not exhaustive, and bounded in time. Cuts each
/// box along one dimension and adds at most one piece per tile. Nothing where
/// none is found.
std::optional<std::vector<Piece>> fillSenders(const SenderProblem &problem,
                                              const GroupOrders &orders,
                                              const GroupPieces &groupPieces,
                                              int64_t limit);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_FILLSENDERS_H
