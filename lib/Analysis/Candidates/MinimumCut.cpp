// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Augmenting paths of the fewest edges (Edmonds and Karp, 1972); a set of nodes
// is a pair of nodes of its own (Lawler, 1973).

#include "MinimumCut.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace npu {
namespace {

/// More than all sets together cost.
constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 2;

} // namespace

void MinimumCut::addEdge(int from, int to, int64_t capacity) {
  edgesOf[from].push_back(static_cast<int>(edges.size()));
  edges.push_back({to, capacity});
  edgesOf[to].push_back(static_cast<int>(edges.size()));
  edges.push_back({from, 0});
}

void MinimumCut::fix(int node, Side side) {
  if (side == Side::First)
    addEdge(first, node, unlimited);
  else
    addEdge(node, second, unlimited);
}

void MinimumCut::keepTogether(std::span<const int> nodes, int64_t cost) {
  int in = addNode(), out = addNode();
  addEdge(in, out, cost);
  for (int node : nodes) {
    addEdge(node, in, unlimited);
    addEdge(out, node, unlimited);
  }
}

/// Adds what one more path carries; false where there is none.
bool MinimumCut::augment() {
  std::vector<int> by(edgesOf.size(), -1);
  std::queue<int> next({first});
  while (!next.empty() && by[second] < 0) {
    int node = next.front();
    next.pop();
    for (int edge : edgesOf[node]) {
      int to = edges[edge].to;
      if (edges[edge].capacity == 0 || to == first || by[to] >= 0)
        continue;
      by[to] = edge;
      next.push(to);
    }
  }
  if (by[second] < 0)
    return false;
  int64_t most = unlimited;
  auto before = [&](int node) { return edges[by[node] ^ 1].to; };
  for (int node = second; node != first; node = before(node))
    most = std::min(most, edges[by[node]].capacity);
  for (int node = second; node != first; node = before(node)) {
    edges[by[node]].capacity -= most;
    edges[by[node] ^ 1].capacity += most;
  }
  return true;
}

/// Only what can still reach the second side has to be there.
void MinimumCut::findSides() {
  reachesSecond.assign(edgesOf.size(), false);
  reachesSecond[second] = true;
  std::queue<int> next({second});
  while (!next.empty()) {
    int node = next.front();
    next.pop();
    for (int edge : edgesOf[node]) {
      int from = edges[edge].to;
      if (edges[edge ^ 1].capacity == 0 || reachesSecond[from])
        continue;
      reachesSecond[from] = true;
      next.push(from);
    }
  }
}

void MinimumCut::solve() {
  while (augment())
    ;
  findSides();
}

} // namespace npu
