// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaching the least possible maximum exactly, where rounding shares to slices
// misses it.

#ifndef NPU_LIB_PLACEMENT_PLANS_FILLSENDERS_H
#define NPU_LIB_PLACEMENT_PLANS_FILLSENDERS_H

#include "CutPieces.h"

#include <optional>

namespace npu {

/// Tries to find parts of whole slices under which no tile sends more than
/// `limit`. Not exhaustive, and bounded in time. Cuts each box along one
/// dimension and makes at most one piece more per tile than there were.
std::optional<std::vector<Piece>> fillSenders(const SenderProblem &problem,
                                              const GroupOrders &orders,
                                              const GroupPieces &groupPieces,
                                              int64_t limit);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_FILLSENDERS_H
