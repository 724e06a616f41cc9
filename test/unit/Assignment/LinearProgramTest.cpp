// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same problems, solved by a solver of integer programs that knows nothing
// of this project.

#include "LinearProgram.h"
#include "npu/Assignment/LeastCost.h"

#include "RandomProblem.h"
#include "SolveByCbc.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace npu;

TEST(LinearProgram, Text) {
  AssignmentProblem problem;
  problem.values = {{"%0", -1, {"ddr", "rows"}, {{0, 3}, {kImpossible, 0}}}};
  problem.operations = {
      {"", "", {{"", 5, {}, {{0, 1}}}, {"", 9, {}, {{0, 0}}}}}};
  problem.memory = {{0, 0, 10, 2, {{0, 4}}, {{{0, 1}, 4}}}};
  EXPECT_EQ(linearProgram(problem), R"(Minimize
 obj:
  + 5 w0_0
  + 9 w0_1
  + 3 z0_0_1 + 0 constant
Subject To
 c0: x0_1 - w0_0 >= 0
 c1: x0_0 - w0_1 >= 0
 c2:
  + w0_0
  + w0_1 = 1
 c3: x0_0 >= 1
 c4: x0_1 - z0_0_1 <= 0
 c5:
  0 constant
  + 4 w0_0
  + 4 x0_1 <= 8
Bounds
 1 <= constant <= 1
Binaries
 w0_0
 w0_1
 x0_0
 x0_1
End
)");
}

TEST(LinearProgram, CbcFindsTheSame) {
  if (!hasCbc())
    GTEST_SKIP() << "cbc is not installed (Debian: coinor-cbc)";
  std::mt19937 random(3);
  const char *asked = std::getenv("NPU_CBC_CASES");
  int fit = 0, inMemory = 0;
  for (int i = 0, count = asked ? std::atoi(asked) : 20; i < count; ++i) {
    AssignmentProblem problem = randomProblem(random, 30);
    auto least = assignLeast(problem);
    auto optimum = solveByCbc(problem);
    ASSERT_EQ(bool(least), optimum.has_value()) << "problem " << i;
    if (!least)
      continue;
    ++fit;
    inMemory += !problem.memory.empty();
    EXPECT_TRUE(least->isProved()) << "problem " << i;
    EXPECT_EQ(least->cost, *optimum) << "problem " << i;
  }
  // Problems that nothing fits would say nothing.
  EXPECT_GT(fit, 0);
  EXPECT_GT(inMemory, 0);
  RecordProperty("fit", fit);
  RecordProperty("in memory", inMemory);
}
