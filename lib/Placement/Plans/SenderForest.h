// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flow with as few (group, sender) pairs as groups and senders can have.

#ifndef NPU_LIB_PLACEMENT_PLANS_SENDERFOREST_H
#define NPU_LIB_PLACEMENT_PLANS_SENDERFOREST_H

#include "SenderFlow.h"

#include <span>

namespace npu {

/// The groups in an order in which their pieces can be dealt to senders.
class GroupOrders {
public:
  struct Order {
    uint32_t group;
    /// Edges of the senders in the order in which they take their shares.
    std::span<const uint32_t> edges;
  };

  std::size_t size() const { return groups.size(); }
  Order operator[](std::size_t i) const {
    return {groups[i], std::span(edges).subspan(
                           edgeBegin[i], edgeBegin[i + 1] - edgeBegin[i])};
  }

private:
  friend class SenderForest;
  std::vector<uint32_t> groups;
  std::vector<uint32_t> edgeBegin{0};
  std::vector<uint32_t> edges;
};

/// The graph of edges that carry something. Its nodes are the groups and,
/// behind them, the tiles.
class SenderForest {
public:
  explicit SenderForest(const SenderProblem &problem);

  /// Cancels every cycle, without changing what any group or tile sends in
  /// total. What remains is a forest: fewer edges than groups and tiles.
  void cancelCycles(std::vector<int64_t> &shares);

  /// The groups, each tree from its root outwards: of the senders of a group
  /// only the first occurs in groups before it, unless the group is the first
  /// of its tree. Roots are the tiles with most room.
  GroupOrders order(const std::vector<int64_t> &shares);

private:
  uint32_t tileNode(uint32_t edge) const {
    return groupCount + static_cast<uint32_t>(problem.holder[edge]);
  }
  void clear();
  void insert(uint32_t edge);
  bool findPath(const std::vector<int64_t> &shares, uint32_t start,
                uint32_t goal);
  uint32_t representative(uint32_t node);
  template <typename Visit>
  void forEach(uint32_t node, const std::vector<int64_t> &shares,
               Visit visit) const;

  const SenderProblem &problem;
  uint32_t groupCount;
  std::vector<uint32_t> edgeGroup;
  /// Per node, a list of half edges: 2 * edge at its group, 2 * edge + 1 at its
  /// tile.
  std::vector<uint32_t> head, next;
  /// Which nodes an edge has ever connected, as a union-find. Edges that were
  /// emptied may have parted them again, so only "never" is certain, and saves
  /// a search.
  std::vector<uint32_t> connected;
  /// Of a search: the edge and node through which a node was reached.
  std::vector<uint32_t> via, from, mark, queue, path;
  uint32_t round = 0;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_SENDERFOREST_H
