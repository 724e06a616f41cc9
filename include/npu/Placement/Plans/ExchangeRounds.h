// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which processes exchange messages: rounds in which each of them
// sends at most one and receives at most one.

#ifndef NPU_PLACEMENT_PLANS_EXCHANGEROUNDS_H
#define NPU_PLACEMENT_PLANS_EXCHANGEROUNDS_H

#include <span>
#include <vector>

namespace npu {

/// The sender and the receiver of a message: numbers of processes from 0 on.
struct RankPair {
  int from = 0;
  int to = 0;

  friend bool operator==(const RankPair &, const RankPair &) = default;
};

/// The round of each message, from 0 on. There are as many rounds as the
/// busiest process has messages to send or to receive, which is the least
/// number (the edges of a bipartite graph have a colouring with as many colours
/// as its largest degree, König 1916). Takes time in the number of messages
/// times the number of processes.
///
/// Example: of 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 1 the first and the third are in
/// round 0, the others in round 1.
std::vector<int> exchangeRounds(std::span<const RankPair> messages);

/// The messages by which what the first of `ranks` has comes to all others,
/// where those that have it send it on: the number of processes that have it
/// doubles with each level, so that `n` of them take log2(n) levels, rounded
/// up. Each message is one to a rank that did not have it, after the one by
/// which its sender got it.
///
/// Example: of ranks 4, 5, 6, 7 it is 4 -> 5 on level 0, and 4 -> 6 and 5 -> 7
/// on level 1.
struct TreeMessage {
  RankPair ranks;
  int level = 0;

  friend bool operator==(const TreeMessage &, const TreeMessage &) = default;
};
std::vector<TreeMessage> broadcastTree(std::span<const int> ranks);

} // namespace npu

#endif // NPU_PLACEMENT_PLANS_EXCHANGEROUNDS_H
