// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancels the cycles of a flow, and walks the forest that remains.

#include "SenderForest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npu {

static constexpr uint32_t kNone = ~uint32_t(0);

SenderForest::SenderForest(const SenderProblem &problem)
    : problem(problem), groupCount(static_cast<uint32_t>(problem.groupCount())),
      edgeGroup(problem.holder.size()),
      head(problem.groupCount() + problem.forced.size(), kNone),
      next(2 * problem.holder.size(), kNone), connected(head.size()),
      via(head.size()), from(head.size()), mark(head.size()) {
  for (uint32_t group = 0; group < groupCount; ++group)
    for (uint32_t edge = problem.edgeBegin[group];
         edge < problem.edgeBegin[group + 1]; ++edge)
      edgeGroup[edge] = group;
}

void SenderForest::clear() {
  std::fill(head.begin(), head.end(), kNone);
  std::iota(connected.begin(), connected.end(), 0);
}

void SenderForest::insert(uint32_t edge) {
  uint32_t ends[2] = {edgeGroup[edge], tileNode(edge)};
  for (uint32_t side : {0, 1})
    next[2 * edge + side] = std::exchange(head[ends[side]], 2 * edge + side);
  connected[representative(ends[0])] = representative(ends[1]);
}

uint32_t SenderForest::representative(uint32_t node) {
  while (connected[node] != node)
    node = connected[node] = connected[connected[node]];
  return node;
}

/// Calls `visit(edge, other node)` for each edge of a node that carries
/// elements.
template <typename Visit>
void SenderForest::forEach(uint32_t node, const std::vector<int64_t> &shares,
                           Visit visit) const {
  for (uint32_t half = head[node]; half != kNone; half = next[half]) {
    uint32_t edge = half / 2;
    if (shares[edge] > 0)
      visit(edge, half % 2 == 0 ? tileNode(edge) : edgeGroup[edge]);
  }
}

/// Sets `path` to the edges from `start` to `goal`; returns whether there is a
/// path.
bool SenderForest::findPath(const std::vector<int64_t> &shares, uint32_t start,
                            uint32_t goal) {
  if (representative(start) != representative(goal))
    return false;
  ++round;
  queue.assign(1, start);
  mark[start] = round;
  for (std::size_t i = 0; i < queue.size() && mark[goal] != round; ++i) {
    uint32_t node = queue[i];
    forEach(node, shares, [&](uint32_t edge, uint32_t other) {
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

void SenderForest::cancelCycles(std::vector<int64_t> &shares) {
  clear();
  for (uint32_t edge = 0; edge < shares.size(); ++edge) {
    if (shares[edge] == 0)
      continue;
    if (findPath(shares, tileNode(edge), edgeGroup[edge])) {
      // Around the cycle, alternate edges carry more and less. The edge of
      // those with less that carries the fewest elements becomes empty.
      path.push_back(edge);
      std::size_t least = 0;
      for (std::size_t i = 1; i < path.size(); ++i)
        if (shares[path[i]] < shares[path[least]])
          least = i;
      int64_t amount = shares[path[least]];
      for (std::size_t i = 0; i < path.size(); ++i)
        shares[path[i]] += i % 2 == least % 2 ? -amount : amount;
    }
    if (shares[edge] > 0)
      insert(edge);
  }
}

GroupOrders SenderForest::order(const std::vector<int64_t> &shares) {
  clear();
  std::vector<int64_t> sent = problem.forced;
  for (uint32_t edge = 0; edge < shares.size(); ++edge)
    if (shares[edge] > 0) {
      insert(edge);
      sent[problem.holder[edge]] += shares[edge];
    }
  std::vector<uint32_t> roots(sent.size());
  std::iota(roots.begin(), roots.end(), 0);
  std::sort(roots.begin(), roots.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(sent[a], a) < std::pair(sent[b], b);
  });

  GroupOrders result;
  result.groups.reserve(groupCount);
  result.edgeBegin.reserve(groupCount + 1);
  result.edges.reserve(groupCount + sent.size());
  ++round;
  for (uint32_t root : roots) {
    if (mark[groupCount + root] == round)
      continue;
    mark[groupCount + root] = round;
    queue.assign(1, groupCount + root);
    for (std::size_t i = 0; i < queue.size(); ++i)
      forEach(queue[i], shares, [&](uint32_t parent, uint32_t group) {
        if (mark[group] == round)
          return;
        mark[group] = round;
        result.groups.push_back(group);
        result.edges.push_back(parent);
        std::size_t first = result.edges.size();
        forEach(group, shares, [&](uint32_t edge, uint32_t child) {
          if (edge == parent)
            return;
          result.edges.push_back(edge);
          mark[child] = round;
          queue.push_back(child);
        });
        std::sort(result.edges.begin() + first, result.edges.end());
        result.edgeBegin.push_back(static_cast<uint32_t>(result.edges.size()));
      });
  }
  return result;
}

} // namespace npu
