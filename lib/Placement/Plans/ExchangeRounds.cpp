// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours the edges of a bipartite graph, one after the other: an edge whose
// two ends have no round in common that is free swaps two rounds along a path.

#include "npu/Placement/Plans/ExchangeRounds.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace npu {
namespace {

constexpr int none = -1;

class EdgeColouring {
public:
  explicit EdgeColouring(std::span<const RankPair> messages)
      : messages(messages), rounds(messages.size(), none) {
    std::vector<int> sends, receives;
    for (const RankPair &each : messages) {
      int ranks = std::max(each.from, each.to) + 1;
      if (ranks > static_cast<int>(sends.size())) {
        sends.resize(ranks);
        receives.resize(ranks);
      }
      degree = std::max({degree, ++sends[each.from], ++receives[each.to]});
    }
    sent.assign(sends.size() * degree, none);
    received.assign(sends.size() * degree, none);
  }

  std::vector<int> colour() {
    for (int i = 0; i < static_cast<int>(messages.size()); ++i)
      add(i);
    return std::move(rounds);
  }

private:
  /// The message that a rank sends, or receives, in a round.
  int &sentIn(int rank, int round) { return sent[rank * degree + round]; }
  int &receivedIn(int rank, int round) {
    return received[rank * degree + round];
  }

  void add(int message) {
    auto [from, to] = messages[message];
    for (int round = 0; round < degree; ++round)
      if (sentIn(from, round) == none && receivedIn(to, round) == none)
        return put(message, round);
    int ofSender = 0, ofReceiver = 0;
    while (sentIn(from, ofSender) != none)
      ++ofSender;
    while (receivedIn(to, ofReceiver) != none)
      ++ofReceiver;
    swapAlongPath(to, ofSender, ofReceiver);
    put(message, ofSender);
  }

  void put(int message, int round) {
    rounds[message] = round;
    sentIn(messages[message].from, round) = message;
    receivedIn(messages[message].to, round) = message;
  }

  /// Frees `round` at a receiver, at which `other` is free. The path of
  /// messages in these two rounds that begins there ends before it reaches the
  /// sender at which `round` is free: it comes to senders by messages of
  /// `round`.
  void swapAlongPath(int receiver, int round, int other) {
    std::vector<int> path;
    for (int at = receiver, next = receivedIn(at, round); next != none;) {
      path.push_back(next);
      next = sentIn(messages[next].from, other);
      if (next == none)
        break;
      path.push_back(next);
      next = receivedIn(messages[next].to, round);
    }
    for (int message : path) {
      sentIn(messages[message].from, rounds[message]) = none;
      receivedIn(messages[message].to, rounds[message]) = none;
    }
    for (int message : path)
      put(message, rounds[message] == round ? other : round);
  }

  std::span<const RankPair> messages;
  std::vector<int> rounds;
  int degree = 0;
  std::vector<int> sent, received;
};

} // namespace

std::vector<int> exchangeRounds(std::span<const RankPair> messages) {
  return EdgeColouring(messages).colour();
}

std::vector<TreeMessage> broadcastTree(std::span<const int> ranks) {
  std::vector<TreeMessage> messages;
  for (unsigned i = 1; i < ranks.size(); ++i) {
    unsigned first = std::bit_floor(i);
    messages.push_back({{ranks[i - first], ranks[i]}, std::countr_zero(first)});
  }
  return messages;
}

} // namespace npu
