// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// U-Nets in scratchpads from just enough to too little: an assignment is found
// wherever there is one, and where there is none that is proved, by the row
// that shows it.

#include "UNetProblem.h"

#include "npu/Assignment/LeastCost.h"

#include "SolveByCbc.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

/// So that the tests are no slower than they need to be: what is found does not
/// depend on how far the search looks.
constexpr SearchLimits kNarrow{.states = 16};

AssignmentProblem uNet(UNetShape shape, double scratchpads, unsigned seed = 1) {
  shape.scratchpad = static_cast<int64_t>(
      static_cast<double>(leastScratchpad(shape)) * scratchpads);
  std::mt19937 random(seed);
  AssignmentProblem problem = uNetProblem(shape, random);
  EXPECT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
  return problem;
}

void expectFit(const AssignmentProblem &problem, const SearchLimits &limits) {
  auto least = assignLeast(problem, limits);
  ASSERT_TRUE(least) << least.error().message;
  auto checked = checkAssignment(problem, *least);
  EXPECT_TRUE(checked) << checked.error().message;
}

} // namespace

TEST(UNetProblem, FitsWhereItJustFits) {
  for (int skips : {20, 40, 60})
    for (bool spills : {false, true})
      for (int64_t noise : {0, 20000})
        for (double scratchpads : {1.0, 1.1}) {
          SCOPED_TRACE(testing::Message()
                       << skips << " skips, spills " << spills << ", noise "
                       << noise << ", " << scratchpads);
          expectFit(uNet({.skips = skips,
                          .shrink = 3,
                          .spills = spills,
                          .noise = noise},
                         scratchpads),
                    kNarrow);
        }
}

// With few partial assignments, looking ahead is all that keeps the first skips
// from the room of the last ones.
TEST(UNetProblem, FitsWithFewPartialAssignments) {
  for (int skips : {20, 30, 40})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(testing::Message() << skips << " skips, seed " << seed);
      expectFit(uNet({.skips = skips, .shrink = 3, .noise = 20000}, 1.1, seed),
                {.states = 16, .isQuick = true});
    }
}

TEST(UNetProblem, ProvesThatNothingFits) {
  for (int skips : {18, 20, 40, 60})
    for (bool spills : {false, true})
      for (double scratchpads : {0.99, 0.5}) {
        SCOPED_TRACE(testing::Message() << skips << " skips, spills " << spills
                                        << ", " << scratchpads);
        AssignmentProblem problem =
            uNet({.skips = skips, .spills = spills}, scratchpads);
        auto least = assignLeast(problem);
        ASSERT_FALSE(least);
        EXPECT_FALSE(least.error().isLimited) << least.error().message;
        ASSERT_TRUE(least.error().fullest);
        EXPECT_GT(least.error().fullest->bytes,
                  least.error().fullest->capacity);
      }
}

// The row that has no room is that of the first join, when all skips are there.
TEST(UNetProblem, TellsTheRow) {
  AssignmentProblem problem = uNet({.skips = 20}, 0.99);
  auto least = assignLeast(problem);
  ASSERT_FALSE(least);
  // 22 quarters of 65536 bytes.
  EXPECT_EQ(least.error().message,
            "operation 21: whatever is chosen takes at least 360448 bytes on "
            "tile 0, which has 356843");
  EXPECT_EQ(problem.operations[21].name, "join");
}

// Spilling is dearer than holding, and fits in less.
TEST(UNetProblem, SpillsWhatHasNoRoom) {
  UNetShape shape{.skips = 6, .spills = true};
  auto least = assignLeast(uNet(shape, 1));
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_TRUE(least->isProved());
  auto roomy = assignLeast(uNet(shape, 3));
  ASSERT_TRUE(roomy) << roomy.error().message;
  EXPECT_LT(roomy->cost, least->cost);
  shape.spills = false;
  shape.scratchpad = leastScratchpad({.skips = 6, .spills = true});
  std::mt19937 random(1);
  EXPECT_FALSE(assignLeast(uNetProblem(shape, random)));
}

TEST(UNetProblem, EqualsTryingEverything) {
  for (unsigned seed = 1; seed <= 5; ++seed)
    for (bool spills : {false, true})
      for (double scratchpads : {0.9, 1.0, 1.1, 1.4}) {
        AssignmentProblem problem = uNet({.skips = 2,
                                          .shrink = 20,
                                          .spills = spills,
                                          .layouts = 3,
                                          .noise = 3000},
                                         scratchpads, seed);
        auto tried = assignByTrying(problem), least = assignLeast(problem);
        ASSERT_EQ(bool(tried), bool(least))
            << "seed " << seed << ", " << scratchpads;
        if (!tried)
          continue;
        EXPECT_EQ(least->cost, tried->cost);
        EXPECT_TRUE(least->isProved());
      }
}

TEST(UNetProblem, CbcFindsTheSame) {
  if (!hasCbc())
    GTEST_SKIP() << "cbc is not installed (Debian: coinor-cbc)";
  for (int skips : {3, 4})
    for (bool spills : {false, true})
      for (double scratchpads : {0.95, 1.0, 1.3}) {
        AssignmentProblem problem = uNet(
            {.skips = skips, .shrink = 10, .spills = spills, .noise = 3000},
            scratchpads);
        auto least = assignLeast(problem);
        auto optimum = solveByCbc(problem);
        ASSERT_EQ(bool(least), optimum.has_value())
            << skips << ", " << scratchpads;
        if (!least)
          continue;
        EXPECT_TRUE(least->isProved());
        EXPECT_EQ(least->cost, *optimum);
      }
}
