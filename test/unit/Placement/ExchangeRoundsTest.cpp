// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Plans/ExchangeRounds.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace npu {
namespace {

/// The most messages that one rank sends, or that one receives.
int busiest(const std::vector<RankPair> &messages) {
  std::map<int, int> sends, receives;
  int most = 0;
  for (const RankPair &each : messages)
    most = std::max({most, ++sends[each.from], ++receives[each.to]});
  return most;
}

/// Whether no rank sends twice or receives twice in one round, and no round is
/// past the number of messages of the busiest rank.
void expectLeastRounds(const std::vector<RankPair> &messages) {
  std::vector<int> rounds = exchangeRounds(messages);
  ASSERT_EQ(rounds.size(), messages.size());
  std::set<std::pair<int, int>> sent, received;
  for (size_t i = 0; i < messages.size(); ++i) {
    EXPECT_TRUE(sent.insert({messages[i].from, rounds[i]}).second);
    EXPECT_TRUE(received.insert({messages[i].to, rounds[i]}).second);
    EXPECT_GE(rounds[i], 0);
    EXPECT_LT(rounds[i], busiest(messages));
  }
}

TEST(ExchangeRounds, ExampleOfTheHeader) {
  std::vector<RankPair> messages{{0, 1}, {0, 2}, {1, 2}, {2, 1}};
  EXPECT_EQ(exchangeRounds(messages), (std::vector<int>{0, 1, 0, 1}));
}

TEST(ExchangeRounds, NoMessages) { EXPECT_TRUE(exchangeRounds({}).empty()); }

TEST(ExchangeRounds, EveryRankToEveryOther) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    std::vector<RankPair> messages;
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to)
        if (from != to)
          messages.push_back({from, to});
    expectLeastRounds(messages);
  }
}

TEST(ExchangeRounds, RandomGraphs) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    int ranks = 2 + random() % 12;
    std::vector<RankPair> messages(random() % 60);
    for (RankPair &each : messages) {
      each.from = random() % ranks;
      each.to = (each.from + 1 + random() % (ranks - 1)) % ranks;
    }
    expectLeastRounds(messages);
  }
}

TEST(BroadcastTree, ExampleOfTheHeader) {
  EXPECT_EQ(broadcastTree(std::vector<int>{4, 5, 6, 7}),
            (std::vector<TreeMessage>{{{4, 5}, 0}, {{4, 6}, 1}, {{5, 7}, 1}}));
}

TEST(BroadcastTree, EachRankGetsItOnceFromOneThatHasIt) {
  for (int count = 1; count <= 40; ++count) {
    std::vector<int> ranks;
    for (int i = 0; i < count; ++i)
      ranks.push_back(100 - i);
    std::map<int, int> levelOf{{ranks.front(), -1}};
    for (const TreeMessage &each : broadcastTree(ranks)) {
      ASSERT_TRUE(levelOf.contains(each.ranks.from));
      EXPECT_LT(levelOf[each.ranks.from], each.level);
      EXPECT_TRUE(levelOf.insert({each.ranks.to, each.level}).second);
      EXPECT_LT(1 << each.level, count);
    }
    EXPECT_EQ(levelOf.size(), ranks.size());
  }
}

} // namespace
} // namespace npu
