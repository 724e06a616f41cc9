// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces a flow to the fewest possible pairs of a group and a sender.

#ifndef NPU_LIB_PLACEMENT_PLANS_SENDERFOREST_H
#define NPU_LIB_PLACEMENT_PLANS_SENDERFOREST_H

#include <span>

#include <cstdint>
#include <vector>

namespace npu {

/// Groups of elements with equal holders. The edges of group g are
/// edgeBegin[g] ... edgeBegin[g + 1] - 1, each to one of its holders.
struct SenderProblem {
  std::vector<int64_t> weight;
  std::vector<uint32_t> edgeBegin{0};
  std::vector<int> holder;
  /// For each tile the elements that only this tile can send; groups do not
  /// count them.
  std::vector<int64_t> forced;

  std::size_t groupCount() const { return weight.size(); }
};

/// Dinic's algorithm on that bipartite graph. Routing keeps the flow of earlier
/// calls, so that a sequence of growing limits costs little more than one.
class SenderFlow {
public:
  explicit SenderFlow(const SenderProblem &problem);

  /// Resets the flow.
  void restart();

  /// Routes up to `amount` elements over an edge in advance, as far as its
  /// group has them and its tile may send them under `limit`. A good suggestion
  /// leaves most groups with one sender, which routing keeps where it can.
  void suggest(uint32_t edge, int64_t amount, int64_t limit);

  /// Routes as much as possible when no tile may send more than `limit`;
  /// returns whether everything was routed.
  bool route(int64_t limit);

  /// The least limit that the minimum cut allows: some tiles must send all that
  /// they alone hold. Precondition: `route` has returned false.
  int64_t nextLimit() const;

  /// The number of elements that each edge carries.
  const std::vector<int64_t> &shares() const { return flow; }

private:
  int64_t roomUnder(int64_t limit, int tile) const;
  bool findLevels();
  int64_t push(uint32_t group, int64_t amount);
  int64_t pushThrough(int tile, int64_t amount);

  const SenderProblem &problem;
  std::vector<int64_t> flow;
  /// The elements of each group that no edge carries yet.
  std::vector<int64_t> excess;
  /// The elements that each tile sends for groups, and how many more it may
  /// send.
  std::vector<int64_t> sent, room;
  std::vector<uint32_t> edgeGroup;
  /// The edges of each tile, by tile.
  std::vector<uint32_t> tileBegin, tileEdge;
  std::vector<int> groupLevel, tileLevel;
  std::vector<uint32_t> groupNext, tileNext, queue;
};

/// A lower bound of the maximum of the elements that a tile sends, forced
/// elements included: of two kinds of cuts that need no flow, those of one tile
/// and those of one group.
int64_t boundOfBusiest(const SenderProblem &problem);

/// The least possible such maximum. `bound` is a lower bound.
int64_t leastBusiest(SenderFlow &flow, int64_t bound);

/// An order of groups in which their pieces can be given to senders.
class GroupOrders {
public:
  struct Order {
    uint32_t group;
    /// The edges to the senders in the order in which these take their shares.
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

/// The graph of edges that carry elements. Its nodes are the groups and,
/// numbered after them, the tiles.
class SenderForest {
public:
  explicit SenderForest(const SenderProblem &problem);

  /// Cancels every cycle without changing the total of any group or tile. What
  /// remains is a forest: it has fewer edges than groups and tiles.
  void cancelCycles(std::vector<int64_t> &shares);

  /// An order of the groups from the root of each tree outwards. Of the senders
  /// of a group only the first occurs in groups before it, unless the group is
  /// the first of its tree. Roots are the tiles with the most room.
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
  /// For each node a linked list of half edges: 2 * edge at the edge's group, 2
  /// * edge + 1 at its tile.
  std::vector<uint32_t> head, next;
  /// A union-find of the nodes that edges have ever connected. Since edges that
  /// were emptied may have separated nodes again, only "never connected" is
  /// certain, and saves a search.
  std::vector<uint32_t> connected;
  /// The state of a search: `via` and `from` have the edge and the node through
  /// which each node was reached.
  std::vector<uint32_t> via, from, mark, queue, path;
  uint32_t round = 0;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_SENDERFOREST_H
