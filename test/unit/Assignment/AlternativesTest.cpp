// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one operation's other candidates would cost, against completing all
// candidates anew.

#include "npu/Assignment/Alternatives.h"
#include "npu/Assignment/LeastCost.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

using namespace npu;

TEST(Alternatives, EqualCompletingAnew) {
  std::mt19937 random(3);
  int possible = 0, forbidden = 0;
  for (int i = 0; i < 300; ++i) {
    AssignmentProblem problem = randomProblem(random, 8);
    auto least = assignLeast(problem);
    if (!least)
      continue;
    Alternatives alternatives(problem, *least);
    for (int op = 0; op < static_cast<int>(problem.operations.size()); ++op)
      for (const Alternative &other : alternatives.of(op)) {
        std::vector<int> candidates = least->candidates;
        candidates[op] = other.candidate;
        auto anew = completeAssignment(problem, candidates);
        ASSERT_EQ(bool(anew), other.cost.has_value()) << "problem " << i;
        EXPECT_EQ(other.forbidden.empty(), bool(anew));
        if (anew)
          EXPECT_EQ(*other.cost, anew->cost) << "problem " << i;
        ++(anew ? possible : forbidden);
      }
  }
  EXPECT_GT(possible, 1000);
  EXPECT_GT(forbidden, 100);
}
