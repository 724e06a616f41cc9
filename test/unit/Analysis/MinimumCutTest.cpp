// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum cuts beside all divisions of a few nodes.

#include "Analysis/Candidates/MinimumCut.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace npu {
namespace {

using Side = MinimumCut::Side;

struct Problem {
  int nodes = 0;
  /// By node; 0: free.
  std::vector<int> fixed;
  struct Set {
    std::vector<int> nodes;
    int64_t cost;
  };
  std::vector<Set> sets;

  /// What a division costs, in which bit n is 1 where node n is on the second
  /// side; nothing where a fixed node is on the other one.
  std::optional<int64_t> cost(unsigned division) const {
    int64_t sum = 0;
    for (int node = 0; node < nodes; ++node)
      if (fixed[node] != 0 && fixed[node] - 1 != (division >> node & 1))
        return std::nullopt;
    for (const Set &set : sets) {
      unsigned on = 0;
      for (int node : set.nodes)
        on += division >> node & 1;
      sum += on == 0 || on == set.nodes.size() ? 0 : set.cost;
    }
    return sum;
  }
};

Problem randomProblem(std::mt19937_64 &random) {
  auto below = [&](int n) {
    return static_cast<int>(random() % static_cast<uint64_t>(n));
  };
  Problem problem;
  problem.nodes = 1 + below(9);
  for (int node = 0; node < problem.nodes; ++node)
    problem.fixed.push_back(std::max(0, below(6) - 3));
  for (int count = below(8); count > 0; --count) {
    Problem::Set set;
    for (int node = 0; node < problem.nodes; ++node)
      if (below(2))
        set.nodes.push_back(node);
    set.cost = 1 + below(below(2) ? 4 : 1000);
    if (set.nodes.size() > 1)
      problem.sets.push_back(std::move(set));
  }
  return problem;
}

TEST(MinimumCut, IsTheLeastOfAllDivisions) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    Problem problem = randomProblem(random);
    MinimumCut cut;
    std::vector<int> numbers;
    for (int node = 0; node < problem.nodes; ++node) {
      numbers.push_back(cut.addNode());
      if (problem.fixed[node] != 0)
        cut.fix(numbers.back(),
                problem.fixed[node] == 1 ? Side::First : Side::Second);
    }
    for (const Problem::Set &set : problem.sets) {
      std::vector<int> nodes;
      for (int node : set.nodes)
        nodes.push_back(numbers[node]);
      cut.keepTogether(nodes, set.cost);
    }
    cut.solve();
    unsigned found = 0;
    for (int node = 0; node < problem.nodes; ++node)
      if (cut.sideOf(numbers[node]) == Side::Second)
        found |= 1U << node;
    int64_t least = std::numeric_limits<int64_t>::max();
    int fewestOnSecond = problem.nodes;
    for (unsigned division = 0; division < 1U << problem.nodes; ++division)
      if (auto cost = problem.cost(division); cost && *cost <= least) {
        if (*cost < least)
          fewestOnSecond = problem.nodes;
        least = *cost;
        fewestOnSecond = std::min(fewestOnSecond, std::popcount(division));
      }
    ASSERT_EQ(problem.cost(found), least) << "round " << round;
    ASSERT_EQ(std::popcount(found), fewestOnSecond) << "round " << round;
  }
}

} // namespace
} // namespace npu
