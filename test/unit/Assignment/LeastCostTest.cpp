// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of least cost, against trying everything.

#include "npu/Assignment/LeastCost.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace npu;

namespace {

/// The number of random problems; NPU_ORACLE_CASES=10000 makes the long run.
int cases() {
  const char *asked = std::getenv("NPU_ORACLE_CASES");
  return asked ? std::atoi(asked) : 500;
}

/// A value in `layouts` layouts, each move at `cost`.
AssignedValue valueOf(int madeBy, int layouts, int64_t cost) {
  AssignedValue value{"", madeBy, {}, {}};
  for (int from = 0; from < layouts; ++from) {
    value.layouts.emplace_back();
    value.moves.emplace_back(layouts, cost);
    value.moves.back()[from] = 0;
  }
  return value;
}

} // namespace

TEST(LeastCost, EqualsTryingEverything) {
  std::mt19937 random(1);
  int fit = 0, problems = cases();
  for (int i = 0; i < problems; ++i) {
    AssignmentProblem problem = randomProblem(random, 8);
    ASSERT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
    auto tried = assignByTrying(problem), least = assignLeast(problem);
    ASSERT_EQ(bool(tried), bool(least)) << "problem " << i;
    if (!tried)
      continue;
    ++fit;
    EXPECT_EQ(least->cost, tried->cost) << "problem " << i;
    EXPECT_TRUE(least->isProved()) << "problem " << i;
    auto again = completeAssignment(problem, least->candidates);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->cost, least->cost);
    EXPECT_EQ(again->layouts, least->layouts);
  }
  // Problems that nothing fits are only some.
  EXPECT_GT(fit, problems / 3);
  EXPECT_LT(fit, problems);
}

// Rows that layouts exceed which only later operations need.
TEST(LeastCost, EqualsTryingInCrowdedMemory) {
  std::mt19937 random(8);
  int fit = 0, problems = cases();
  for (int i = 0; i < problems; ++i) {
    AssignmentProblem problem =
        i % 3 ? randomProblem(random, 8) : repeatedProblem(random, 3, 3);
    crowdMemory(problem, random);
    ASSERT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
    auto tried = assignByTrying(problem), least = assignLeast(problem),
         narrow = assignLeast(problem, {.states = 1});
    ASSERT_EQ(bool(tried), bool(least)) << "problem " << i;
    if (!tried)
      continue;
    ++fit;
    EXPECT_EQ(least->cost, tried->cost) << "problem " << i;
    EXPECT_TRUE(least->isProved()) << "problem " << i;
    if (narrow)
      EXPECT_LE(narrow->bound, tried->cost) << "problem " << i;
  }
  EXPECT_GT(fit, problems / 3);
  EXPECT_LT(fit, problems);
}

// Equal blocks, of which all read the same arguments: many readers of a value.
TEST(LeastCost, EqualsTryingRepeatedBlocks) {
  std::mt19937 random(7);
  int fit = 0, problems = cases() / 5;
  for (int i = 0; i < problems; ++i) {
    AssignmentProblem problem = repeatedProblem(random, 3, 3);
    ASSERT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
    auto tried = assignByTrying(problem), least = assignLeast(problem),
         narrow = assignLeast(problem, {.states = 1});
    ASSERT_EQ(bool(tried), bool(least)) << "problem " << i;
    if (!tried)
      continue;
    ++fit;
    EXPECT_EQ(least->cost, tried->cost) << "problem " << i;
    EXPECT_TRUE(least->isProved()) << "problem " << i;
    if (narrow)
      EXPECT_LE(narrow->bound, tried->cost) << "problem " << i;
  }
  EXPECT_GT(fit, problems / 4);
}

// With too few partial assignments the bound is still one, and the gap is told.
TEST(LeastCost, BoundsWhatItDoesNotProve) {
  std::mt19937 random(2);
  int unproved = 0;
  for (int i = 0; i < cases(); ++i) {
    AssignmentProblem problem = randomProblem(random, 8);
    auto tried = assignByTrying(problem);
    auto narrow = assignLeast(problem, {.states = 1});
    if (!narrow)
      continue;
    ASSERT_TRUE(tried);
    EXPECT_GE(narrow->cost, tried->cost) << "problem " << i;
    EXPECT_LE(narrow->bound, tried->cost) << "problem " << i;
    unproved += !narrow->isProved();
  }
  EXPECT_GT(unproved, 0);
}

// A layout that five users need is paid once.
TEST(LeastCost, PaysALayoutOnce) {
  AssignmentProblem problem;
  problem.values.push_back(valueOf(-1, 2, 10));
  for (int i = 0; i < 5; ++i)
    problem.operations.push_back(
        {"", "", {{"moved", 1, {}, {{0, 1}}}, {"there", 4, {}, {{0, 0}}}}});
  auto least = assignLeast(problem);
  ASSERT_TRUE(least) << least.error().message;
  // 10 + 5 * 1 instead of 5 * 4.
  EXPECT_EQ(least->cost, 15);
  EXPECT_EQ(least->candidates, std::vector<int>(5, 0));
  EXPECT_EQ(least->layouts[0], (std::vector<int>{0, 1}));
}

// What is cheapest without memory does not fit; the error names the operation
// where nothing does.
TEST(LeastCost, FitsInMemory) {
  AssignmentProblem problem;
  problem.values.push_back(valueOf(-1, 2, 1));
  problem.operations.push_back(
      {"", "", {{"fast", 1, {}, {{0, 1}}}, {"slow", 9, {}, {{0, 0}}}}});
  problem.memory.push_back({0, 0, 10, 2, {{0, 5}, {1, 8}}, {{{0, 1}, 4}}});
  auto least = assignLeast(problem);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_EQ(least->cost, 9);
  problem.memory[0].capacity = 9;
  least = assignLeast(problem);
  ASSERT_FALSE(least);
  EXPECT_EQ(least.error().message,
            "operation 0: whatever is chosen takes at least 10 bytes on tile "
            "0, which has 9");
  problem.memory[0].capacity = 11;
  least = assignLeast(problem);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_EQ(least->cost, 2);
}

// Costs that fill the range, for which no prices are looked for.
TEST(LeastCost, LargeCosts) {
  int64_t large = int64_t{1} << 57;
  AssignmentProblem problem;
  problem.values.push_back(valueOf(-1, 2, large));
  problem.operations.assign(
      4,
      {"", "", {{"moved", 1, {}, {{0, 1}}}, {"there", large, {}, {{0, 0}}}}});
  problem.values[0].moves[1][0] = kImpossible;
  ASSERT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
  auto least = assignLeast(problem);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_EQ(least->cost, large + 4);
  EXPECT_TRUE(least->isProved());
}

// No layout that is needed can be had, thousands of times over.
TEST(LeastCost, NothingCanBeHad) {
  AssignmentProblem problem;
  for (int i = 0; i < 3000; ++i) {
    problem.values.push_back(valueOf(-1, 2, kImpossible));
    problem.operations.push_back({"", "", {{"", 1, {}, {{i, 1}}}}});
  }
  auto least = assignLeast(problem);
  ASSERT_FALSE(least);
  EXPECT_EQ(least.error().message,
            "operation 0: no candidate of it fits with any "
            "choice of candidates before it");
}

// A chain as long as a large model's, with a value that all of it reads.
TEST(LeastCost, LongChains) {
  AssignmentProblem problem;
  problem.values.push_back(valueOf(-1, 3, 5));
  problem.values.push_back(valueOf(-1, 3, 7));
  for (int i = 0; i < 5000; ++i) {
    AssignedOperation operation;
    for (int w = 0; w < 3; ++w)
      operation.candidates.push_back(
          {"", (i * 7 + w * 5) % 11, {(i + w) % 3}, {{0, w}, {i + 1, w}}});
    problem.operations.push_back(std::move(operation));
    problem.values.push_back(valueOf(i, 3, 7));
  }
  ASSERT_TRUE(checkProblem(problem));
  auto least = assignLeast(problem);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_TRUE(least->isProved());
}
