// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever a case does to its process, it is one result, and every other case
// still has its own.

#include "npu-fuzz/Plans/Isolated.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <unistd.h>

namespace npu {
namespace {

using Results = std::map<uint64_t, CaseResult>;

Results runAll(uint64_t first, uint64_t count, const IsolationOptions &options,
               const std::function<CaseResult(uint64_t)> &run) {
  Results results;
  runIsolated(first, count, options, run, [&](uint64_t number, CaseResult r) {
    EXPECT_TRUE(results.emplace(number, std::move(r)).second)
        << number << " came twice";
  });
  return results;
}

CaseResult misbehave(uint64_t number) {
  switch (number) {
  case 12:
    return {Outcome::Different, "not what it should be\nin two lines"};
  case 13:
    std::fputs("last words\n", stderr);
    std::fflush(stderr);
    raise(SIGKILL);
    return {};
  case 14:
    _exit(7);
  case 17:
    for (;;)
      pause();
  case 18:
    return {Outcome::Refused, std::string(100000, 'x')};
  default:
    return {};
  }
}

TEST(Isolated, EveryCaseHasOneResultWhateverItDoes) {
  for (unsigned jobs : {1u, 3u})
    for (uint64_t batch : {1u, 4u, 100u}) {
      IsolationOptions options{jobs, batch, /*secondsPerCase=*/1};
      Results results = runAll(10, 12, options, misbehave);
      ASSERT_EQ(results.size(), 12u);
      EXPECT_EQ(results.begin()->first, 10u);
      EXPECT_EQ(results[12].outcome, Outcome::Different);
      EXPECT_EQ(results[12].message, "not what it should be\nin two lines");
      EXPECT_EQ(results[13].outcome, Outcome::Crashed);
      EXPECT_EQ(results[13].message,
                "killed by signal 9 (Killed)\nlast words\n");
      EXPECT_EQ(results[14].message, "ended with exit code 7");
      EXPECT_EQ(results[17].outcome, Outcome::Crashed);
      EXPECT_EQ(results[17].message, "not done within 1 s");
      EXPECT_EQ(results[18].outcome, Outcome::Refused);
      EXPECT_EQ(results[18].message.size(), 100000u);
      for (uint64_t number : {10, 11, 15, 16, 19, 20, 21})
        EXPECT_EQ(results[number].outcome, Outcome::Fine) << number;
    }
}

TEST(Isolated, ResultsComeInOrder) {
  for (unsigned jobs : {1u, 3u}) {
    std::vector<uint64_t> order;
    IsolationOptions options{jobs, 5, 60};
    runIsolated(
        5, 10, options,
        [](uint64_t number) {
          return number == 9 ? misbehave(14) : CaseResult();
        },
        [&](uint64_t number, CaseResult) { order.push_back(number); });
    EXPECT_EQ(order,
              (std::vector<uint64_t>{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  }
}

/// As where a failing case is reduced while other children run.
TEST(Isolated, CasesMayRunWhileOneIsReported) {
  IsolationOptions options{3, 1, 60};
  std::vector<uint64_t> order, inner;
  runIsolated(
      0, 6, options, [](uint64_t) { return CaseResult(); },
      [&](uint64_t number, CaseResult) {
        order.push_back(number);
        runIsolated(
            number, 1, options, [](uint64_t) { return CaseResult(); },
            [&](uint64_t again, CaseResult) { inner.push_back(again); });
      });
  EXPECT_EQ(order, (std::vector<uint64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(inner, order);
}

} // namespace
} // namespace npu
