// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancelling cycles, and walking the forest that remains.

#include "SenderForest.h"

#include <algorithm>
#include <numeric>

namespace npu {
namespace {

constexpr uint32_t kNone = ~uint32_t(0);

/// The edges that carry something, listed at both of their ends. Nodes are the
/// groups and, behind them, the tiles.
class CarryingGraph {
public:
  explicit CarryingGraph(const SenderProblem &problem)
      : problem(problem),
        head(problem.groupCount() + problem.forced.size(), kNone),
        next(2 * problem.holder.size(), kNone), group(problem.holder.size()) {
    for (uint32_t g = 0; g < problem.groupCount(); ++g)
      for (uint32_t e = problem.edgeBegin[g]; e < problem.edgeBegin[g + 1]; ++e)
        group[e] = g;
  }

  uint32_t groupOf(uint32_t edge) const { return group[edge]; }
  uint32_t tileNode(uint32_t edge) const {
    return static_cast<uint32_t>(problem.groupCount()) + problem.holder[edge];
  }
  std::size_t nodeCount() const { return head.size(); }

  void insert(uint32_t edge) {
    link(group[edge], 2 * edge);
    link(tileNode(edge), 2 * edge + 1);
  }

  /// Calls `visit(edge, other end)`; edges that carry nothing are skipped.
  template <typename Visit>
  void forEach(uint32_t node, const std::vector<int64_t> &shares,
               Visit visit) const {
    for (uint32_t half = head[node]; half != kNone; half = next[half]) {
      uint32_t edge = half / 2;
      if (shares[edge] > 0)
        visit(edge, node < problem.groupCount() ? tileNode(edge) : group[edge]);
    }
  }

private:
  void link(uint32_t node, uint32_t half) {
    next[half] = head[node];
    head[node] = half;
  }

  const SenderProblem &problem;
  std::vector<uint32_t> head, next, group;
};

/// Finds paths in the forest built so far.
class PathSearch {
public:
  explicit PathSearch(std::size_t nodes) : via(nodes, kNone), mark(nodes, 0) {}

  /// Edges from `start` to `goal`, or nothing.
  bool find(const CarryingGraph &forest, const std::vector<int64_t> &shares,
            uint32_t start, uint32_t goal, std::vector<uint32_t> &path) {
    ++round;
    queue.assign(1, start);
    mark[start] = round;
    from.resize(via.size());
    for (std::size_t i = 0; i < queue.size() && mark[goal] != round; ++i) {
      uint32_t node = queue[i];
      forest.forEach(node, shares, [&](uint32_t edge, uint32_t other) {
        if (mark[other] == round)
          return;
        mark[other] = round;
        via[other] = edge;
        from[other] = node;
        queue.push_back(other);
      });
    }
    path.clear();
    if (mark[goal] != round)
      return false;
    for (uint32_t node = goal; node != start; node = from[node])
      path.push_back(via[node]);
    std::reverse(path.begin(), path.end());
    return true;
  }

private:
  std::vector<uint32_t> via, from, queue;
  std::vector<uint32_t> mark;
  uint32_t round = 0;
};

/// Which nodes an edge has ever connected. Edges that were emptied may have
/// parted them again, so only "never" is certain, and saves a search.
class EverConnected {
public:
  explicit EverConnected(std::size_t nodes) : parent(nodes) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  bool query(uint32_t a, uint32_t b) { return find(a) == find(b); }
  void connect(uint32_t a, uint32_t b) { parent[find(a)] = find(b); }

private:
  uint32_t find(uint32_t node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  }

  std::vector<uint32_t> parent;
};

} // namespace

void cancelCycles(const SenderProblem &problem, std::vector<int64_t> &shares) {
  CarryingGraph forest(problem);
  PathSearch search(forest.nodeCount());
  EverConnected connected(forest.nodeCount());
  std::vector<uint32_t> cycle;
  for (uint32_t edge = 0; edge < shares.size(); ++edge) {
    if (shares[edge] == 0)
      continue;
    uint32_t tile = forest.tileNode(edge), group = forest.groupOf(edge);
    if (connected.query(tile, group) &&
        search.find(forest, shares, tile, group, cycle)) {
      // Around the cycle, edges take and give by turns. Whichever carries
      // least becomes empty, together with its like.
      cycle.push_back(edge);
      std::size_t least = 0;
      for (std::size_t i = 1; i < cycle.size(); ++i)
        if (shares[cycle[i]] < shares[cycle[least]])
          least = i;
      int64_t amount = shares[cycle[least]];
      for (std::size_t i = 0; i < cycle.size(); ++i)
        shares[cycle[i]] += i % 2 == least % 2 ? -amount : amount;
    }
    if (shares[edge] > 0) {
      forest.insert(edge);
      connected.connect(tile, group);
    }
  }
}

std::vector<GroupOrder> orderGroups(const SenderProblem &problem,
                                    const std::vector<int64_t> &shares) {
  CarryingGraph forest(problem);
  std::vector<int64_t> sent = problem.forced;
  for (uint32_t edge = 0; edge < shares.size(); ++edge)
    if (shares[edge] > 0) {
      forest.insert(edge);
      sent[problem.holder[edge]] += shares[edge];
    }
  std::vector<uint32_t> roots(problem.forced.size());
  std::iota(roots.begin(), roots.end(), 0);
  std::sort(roots.begin(), roots.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(sent[a], a) < std::pair(sent[b], b);
  });

  std::vector<GroupOrder> result;
  uint32_t groups = static_cast<uint32_t>(problem.groupCount());
  std::vector<bool> seen(forest.nodeCount());
  std::vector<uint32_t> queue;
  for (uint32_t root : roots) {
    if (seen[groups + root])
      continue;
    seen[groups + root] = true;
    queue.assign(1, groups + root);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      uint32_t tile = queue[i];
      forest.forEach(tile, shares, [&](uint32_t parent, uint32_t group) {
        if (seen[group])
          return;
        seen[group] = true;
        GroupOrder order{group, {parent}};
        forest.forEach(group, shares, [&](uint32_t edge, uint32_t child) {
          if (edge == parent)
            return;
          order.edges.push_back(edge);
          seen[child] = true;
          queue.push_back(child);
        });
        std::sort(order.edges.begin() + 1, order.edges.end());
        result.push_back(std::move(order));
      });
    }
  }
  return result;
}

} // namespace npu
