// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancels the cycles of a flow, and walks the forest that remains.

#include "SenderForest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npu {

SenderFlow::SenderFlow(const SenderProblem &problem)
    : problem(problem), flow(problem.holder.size()), excess(problem.weight),
      sent(problem.forced.size()), room(problem.forced.size()),
      edgeGroup(problem.holder.size()), tileBegin(problem.forced.size() + 1),
      tileEdge(problem.holder.size()), groupLevel(problem.groupCount()),
      tileLevel(problem.forced.size()), groupNext(problem.groupCount()),
      tileNext(problem.forced.size()) {
  for (uint32_t group = 0; group < problem.groupCount(); ++group)
    for (uint32_t edge = problem.edgeBegin[group];
         edge < problem.edgeBegin[group + 1]; ++edge)
      edgeGroup[edge] = group;
  // Counting sort of edges by tile.
  for (int tile : problem.holder)
    ++tileBegin[tile + 1];
  for (std::size_t tile = 0; tile + 1 < tileBegin.size(); ++tile)
    tileBegin[tile + 1] += tileBegin[tile];
  std::copy(tileBegin.begin(), tileBegin.end() - 1, tileNext.begin());
  for (uint32_t edge = 0; edge < problem.holder.size(); ++edge)
    tileEdge[tileNext[problem.holder[edge]]++] = edge;
}

void SenderFlow::restart() {
  std::fill(flow.begin(), flow.end(), 0);
  std::fill(sent.begin(), sent.end(), 0);
  excess = problem.weight;
}

/// Computes breadth-first levels over edges that can still carry flow. Returns
/// whether a tile with room was reached.
bool SenderFlow::findLevels() {
  std::fill(groupLevel.begin(), groupLevel.end(), -1);
  std::fill(tileLevel.begin(), tileLevel.end(), -1);
  queue.clear();
  for (uint32_t group = 0; group < problem.groupCount(); ++group)
    if (excess[group] > 0) {
      groupLevel[group] = 0;
      queue.push_back(group);
    }
  bool found = false;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    uint32_t group = queue[head];
    int level = groupLevel[group];
    for (uint32_t edge = problem.edgeBegin[group];
         edge < problem.edgeBegin[group + 1]; ++edge) {
      int tile = problem.holder[edge];
      if (tileLevel[tile] >= 0)
        continue;
      tileLevel[tile] = level + 1;
      found |= room[tile] > 0;
      for (uint32_t i = tileBegin[tile]; i < tileBegin[tile + 1]; ++i) {
        uint32_t other = edgeGroup[tileEdge[i]];
        if (flow[tileEdge[i]] > 0 && groupLevel[other] < 0) {
          groupLevel[other] = level + 2;
          queue.push_back(other);
        }
      }
    }
  }
  return found;
}

/// Pushes up to `amount` elements of a group to tiles; returns the number
/// pushed.
int64_t SenderFlow::push(uint32_t group, int64_t amount) {
  int64_t left = amount;
  for (uint32_t &edge = groupNext[group]; edge < problem.edgeBegin[group + 1];
       ++edge) {
    int tile = problem.holder[edge];
    if (tileLevel[tile] == groupLevel[group] + 1) {
      int64_t went = pushThrough(tile, left);
      flow[edge] += went;
      left -= went;
      if (left == 0)
        return amount; // this edge may take more next time
    }
  }
  return amount - left;
}

int64_t SenderFlow::pushThrough(int tile, int64_t amount) {
  int64_t own = std::min(amount, room[tile]);
  room[tile] -= own;
  sent[tile] += own;
  int64_t left = amount - own;
  for (uint32_t &i = tileNext[tile]; left > 0 && i < tileBegin[tile + 1]; ++i) {
    uint32_t edge = tileEdge[i], group = edgeGroup[edge];
    if (flow[edge] == 0 || groupLevel[group] != tileLevel[tile] + 1)
      continue;
    int64_t went = push(group, std::min(left, flow[edge]));
    flow[edge] -= went;
    left -= went;
    if (left == 0)
      break;
  }
  return amount - left;
}

int64_t SenderFlow::roomUnder(int64_t limit, int tile) const {
  return limit - problem.forced[tile] - sent[tile];
}

void SenderFlow::suggest(uint32_t edge, int64_t amount, int64_t limit) {
  int tile = problem.holder[edge];
  amount = std::min({amount, excess[edgeGroup[edge]], roomUnder(limit, tile)});
  flow[edge] += amount;
  sent[tile] += amount;
  excess[edgeGroup[edge]] -= amount;
}

bool SenderFlow::route(int64_t limit) {
  for (std::size_t tile = 0; tile < room.size(); ++tile)
    room[tile] = roomUnder(limit, static_cast<int>(tile));
  while (findLevels()) {
    std::copy(problem.edgeBegin.begin(), problem.edgeBegin.end() - 1,
              groupNext.begin());
    std::copy(tileBegin.begin(), tileBegin.end() - 1, tileNext.begin());
    for (uint32_t group = 0; group < problem.groupCount(); ++group)
      if (excess[group] > 0)
        excess[group] -= push(group, excess[group]);
  }
  return std::all_of(excess.begin(), excess.end(),
                     [](int64_t left) { return left == 0; });
}

int64_t SenderFlow::nextLimit() const {
  // The tiles that the search reached are full, and the elements of the groups
  // that it reached can be sent by these tiles alone.
  int64_t total = 0, tiles = 0;
  for (std::size_t group = 0; group < groupLevel.size(); ++group)
    if (groupLevel[group] >= 0)
      total += problem.weight[group];
  for (std::size_t tile = 0; tile < tileLevel.size(); ++tile)
    if (tileLevel[tile] >= 0) {
      total += problem.forced[tile];
      ++tiles;
    }
  return total / tiles + (total % tiles != 0);
}

int64_t boundOfBusiest(const SenderProblem &problem) {
  int64_t limit =
      *std::max_element(problem.forced.begin(), problem.forced.end());
  for (std::size_t group = 0; group < problem.groupCount(); ++group) {
    int64_t total = problem.weight[group];
    int64_t holders = problem.edgeBegin[group + 1] - problem.edgeBegin[group];
    for (uint32_t edge = problem.edgeBegin[group];
         edge < problem.edgeBegin[group + 1]; ++edge)
      total += problem.forced[problem.holder[edge]];
    limit = std::max(limit, total / holders + (total % holders != 0));
  }
  return limit;
}

int64_t leastBusiest(SenderFlow &flow, int64_t bound) {
  int64_t limit = bound;
  while (!flow.route(limit))
    limit = flow.nextLimit();
  return limit;
}

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
