// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes how much each holder sends, so that the busiest one sends as little
// as possible: a maximum flow from groups of elements to the tiles that hold
// them.

#ifndef NPU_LIB_PLACEMENT_PLANS_SENDERFLOW_H
#define NPU_LIB_PLACEMENT_PLANS_SENDERFLOW_H

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

/// The least possible maximum of the elements that a tile sends, forced
/// elements included.
int64_t leastBusiest(const SenderProblem &problem, SenderFlow &flow);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_SENDERFLOW_H
