// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds of an exchange: in each, a rank sends to one other at most and
// receives from one at most.

#ifndef NPU_BENCHMARKS_EXCHANGE_ROUNDS_H
#define NPU_BENCHMARKS_EXCHANGE_ROUNDS_H

#include <algorithm>
#include <utility>
#include <vector>

namespace exchange {

/// The round of each pair of a sender and a receiver. There are as many rounds
/// as the busiest rank has partners on one side, which is the least possible:
/// the pairs are edges of a bipartite graph, and where the two ends of an edge
/// have no free round in common, two rounds change places along the path that
/// begins at the receiver.
inline std::vector<int> roundsOf(const std::vector<std::pair<int, int>> &pairs,
                                 int ranks) {
  std::vector<int> sends(ranks), receives(ranks);
  for (auto [from, to] : pairs) {
    ++sends[from];
    ++receives[to];
  }
  int count = 0;
  for (int rank = 0; rank < ranks; ++rank)
    count = std::max({count, sends[rank], receives[rank]});

  static constexpr int kNone = -1;
  // The pair that a rank has in a round: as sender, and as receiver.
  std::vector<std::vector<int>> at[2];
  at[0].assign(ranks, std::vector<int>(count, kNone));
  at[1] = at[0];
  auto freeRound = [](const std::vector<int> &rounds) {
    return static_cast<int>(std::find(rounds.begin(), rounds.end(), kNone) -
                            rounds.begin());
  };
  std::vector<int> result(pairs.size(), kNone);
  for (int pair = 0; pair < static_cast<int>(pairs.size()); ++pair) {
    auto [from, to] = pairs[pair];
    int wanted = freeRound(at[0][from]), other = freeRound(at[1][to]);
    // Collect the path of rounds wanted, other, wanted, ... from the receiver.
    std::vector<int> path;
    int side = 1, rank = to, round = wanted;
    for (int next = at[side][rank][round]; next != kNone;
         next = at[side][rank][round]) {
      path.push_back(next);
      side = 1 - side;
      rank = side == 0 ? pairs[next].first : pairs[next].second;
      round = round == wanted ? other : wanted;
    }
    for (int each : path) {
      at[0][pairs[each].first][result[each]] = kNone;
      at[1][pairs[each].second][result[each]] = kNone;
    }
    for (int each : path) {
      result[each] = result[each] == wanted ? other : wanted;
      at[0][pairs[each].first][result[each]] = each;
      at[1][pairs[each].second][result[each]] = each;
    }
    result[pair] = wanted;
    at[0][from][wanted] = at[1][to][wanted] = pair;
  }
  return result;
}

} // namespace exchange

#endif // NPU_BENCHMARKS_EXCHANGE_ROUNDS_H
