// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flow with as few (group, sender) pairs as groups and senders can have.

#ifndef NPU_LIB_PLACEMENT_SENDERFOREST_H
#define NPU_LIB_PLACEMENT_SENDERFOREST_H

#include "SenderFlow.h"

namespace npu {

/// Cancels every cycle of the graph of edges that carry something, without
/// changing what any group or tile sends in total. What remains is a forest:
/// fewer edges than groups and tiles.
void cancelCycles(const SenderProblem &problem, std::vector<int64_t> &shares);

/// One group's senders in the order in which they take their shares.
struct GroupOrder {
  uint32_t group = 0;
  /// Edges; the first is the sender that an earlier group in the sequence has
  /// too, unless the group is the first of its tree.
  std::vector<uint32_t> edges;
};

/// The groups, each tree from its root outwards: of the senders of a group only
/// the first occurs in groups before it. Roots are the tiles with most room.
std::vector<GroupOrder> orderGroups(const SenderProblem &problem,
                                    const std::vector<int64_t> &shares);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_SENDERFOREST_H
