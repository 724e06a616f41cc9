// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocking flows along paths of the fewest edges (Dinic, 1970); a set of nodes
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

/// The fewest edges of rest capacity from the first side to each node; -1 where
/// there are none.
std::vector<int> MinimumCut::levels() const {
  std::vector<int> found(edgesOf.size(), -1);
  found[first] = 0;
  std::queue<int> next({first});
  while (!next.empty() && found[second] < 0) {
    int node = next.front();
    next.pop();
    for (int edge : edgesOf[node]) {
      int to = edges[edge].to;
      if (edges[edge].capacity == 0 || found[to] >= 0)
        continue;
      found[to] = found[node] + 1;
      next.push(to);
    }
  }
  return found;
}

/// Adds what all paths of the fewest edges carry; false where there is none.
bool MinimumCut::augment() {
  std::vector<int> level = levels();
  if (level[second] < 0)
    return false;
  std::vector<size_t> next(edgesOf.size(), 0);
  std::vector<int> path;
  int node = first;
  for (;;) {
    if (node == second) {
      auto least = std::ranges::min_element(
          path, {}, [&](int edge) { return edges[edge].capacity; });
      int64_t carried = edges[*least].capacity;
      for (int edge : path) {
        edges[edge].capacity -= carried;
        edges[edge ^ 1].capacity += carried;
      }
      // The next path begins where this one has no capacity left.
      node = edges[*least ^ 1].to;
      path.erase(least, path.end());
      continue;
    }
    auto goesOn = [&](int edge) {
      return edges[edge].capacity > 0 &&
             level[edges[edge].to] == level[node] + 1;
    };
    while (next[node] < edgesOf[node].size() &&
           !goesOn(edgesOf[node][next[node]]))
      ++next[node];
    if (next[node] < edgesOf[node].size()) {
      path.push_back(edgesOf[node][next[node]]);
      node = edges[path.back()].to;
      continue;
    }
    if (path.empty())
      return true;
    // Nothing leads on from here.
    level[node] = -1;
    node = edges[path.back() ^ 1].to;
    path.pop_back();
  }
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
