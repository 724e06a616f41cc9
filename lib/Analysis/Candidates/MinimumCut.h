// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides nodes into two sides at the least cost: some nodes have to be on one
// of them, and each of some sets of nodes costs something where it is divided.
// It is solved exactly, as a maximum flow, and of several best answers the one
// with the most nodes on the first side is found.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_MINIMUMCUT_H
#define NPU_LIB_ANALYSIS_CANDIDATES_MINIMUMCUT_H

#include <cstdint>
#include <span>
#include <vector>

namespace npu {

class MinimumCut {
public:
  enum class Side { First, Second };

  MinimumCut() : edgesOf(2) {}

  int addNode() {
    edgesOf.emplace_back();
    return static_cast<int>(edgesOf.size()) - 1;
  }
  void fix(int node, Side side);
  /// Adds a set of nodes that costs `cost` where not all of them are on one
  /// side.
  void keepTogether(std::span<const int> nodes, int64_t cost);

  /// Solves the problem, once.
  void solve();
  /// The side of a node. Precondition: it is solved.
  Side sideOf(int node) const {
    return reachesSecond[node] ? Side::Second : Side::First;
  }

private:
  static constexpr int first = 0, second = 1;

  struct Edge {
    int to;
    int64_t capacity;
  };

  /// Edges are pairs: each is followed by the one back.
  void addEdge(int from, int to, int64_t capacity);
  std::vector<int> levels() const;
  bool augment();
  void findSides();

  std::vector<Edge> edges;
  std::vector<std::vector<int>> edgesOf;
  std::vector<bool> reachesSecond;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_MINIMUMCUT_H
