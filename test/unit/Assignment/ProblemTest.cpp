// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is no assignment problem, and what candidates cost.

#include "npu/Assignment/Problem.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

/// An argument that one operation reads, with one result.
AssignmentProblem small() {
  AssignmentProblem problem;
  problem.values = {{"%0", -1, {"ddr", "rows"}, {{0, 3}, {kImpossible, 0}}},
                    {"%1", 0, {"rows"}, {{0}}}};
  problem.operations = {{"add", "", {{"rows", 5, {0}, {{0, 1}}}}}};
  problem.memory = {{0, 1, 100, 10, {{0, 20}}, {{{0, 1}, 30}, {{1, 0}, 40}}}};
  return problem;
}

std::string messageOf(const AssignmentProblem &problem) {
  Result<> error = checkProblem(problem);
  return error ? "" : error.error().message;
}

} // namespace

TEST(AssignmentProblem, CostsAndLayouts) {
  AssignmentProblem problem = small();
  EXPECT_EQ(messageOf(problem), "");
  auto complete = completeAssignment(problem, {0});
  ASSERT_TRUE(complete) << complete.error().message;
  EXPECT_EQ(complete->cost, 8);
  EXPECT_EQ(complete->layouts, (std::vector<std::vector<int>>{{0, 1}, {0}}));
  problem.memory[0].capacity = 99;
  complete = completeAssignment(problem, {0});
  ASSERT_FALSE(complete);
  EXPECT_EQ(complete.error().message,
            "operation 0: expected at most 99 bytes on tile 1, got 100");
  problem.values[0].moves[0][1] = kImpossible;
  complete = completeAssignment(problem, {0});
  ASSERT_FALSE(complete);
  EXPECT_EQ(complete.error().message,
            "value 0: layout 1 cannot be had from layout 0");
}

TEST(AssignmentProblem, Refused) {
  auto refused = [](auto change) {
    AssignmentProblem problem = small();
    change(problem);
    return messageOf(problem);
  };
  EXPECT_EQ(
      refused([](auto &p) { p.values[0].moves[1][1] = 1; }),
      "value 0: expected 0 as the cost of layout 1 where it was made, got 1");
  EXPECT_EQ(refused([](auto &p) { p.values[0].moves[0][1] = -7; }),
            "value 0: expected costs from 0 to 2^62 together, got -7");
  EXPECT_EQ(refused([](auto &p) { p.values[1].moves.clear(); }),
            "value 1: expected moves from 1 layouts, got 0");
  EXPECT_EQ(refused([](auto &p) { p.values[1].madeBy = 1; }),
            "value 1: expected to be made by one of 1 operations, got 1");
  EXPECT_EQ(refused([](auto &p) { p.operations[0].candidates.clear(); }),
            "operation 0: expected candidates, got none");
  EXPECT_EQ(
      refused(
          [](auto &p) { p.operations[0].candidates[0].resultLayouts = {1}; }),
      "operation 0: candidate 0: expected one of 1 layouts of value 1, got 1");
  EXPECT_EQ(refused([](auto &p) {
              p.operations[0].candidates[0].operandLayouts = {{1, 0}};
            }),
            "operation 0: candidate 0: expected values that are made before, "
            "got value "
            "1, which operation 0 makes");
  EXPECT_EQ(
      refused([](auto &p) {
        p.operations[0].candidates[0].cost = int64_t{1} << 62;
      }),
      "operation 0: candidate 0: expected costs from 0 to 2^62 together, got "
      "4611686018427387904");
  EXPECT_EQ(refused([](auto &p) { p.memory[0].at = 2; }),
            "memory row 0: expected one of 1 operations, got 2");
  EXPECT_EQ(
      refused([](auto &p) { p.memory[0].layouts[1].layout = {0, 1}; }),
      "memory row 0: expected layouts of values that exist, each once, got "
      "layout 1 of value 0");
  EXPECT_EQ(refused([](auto &p) { p.memory[0].fixed = -1; }),
            "memory row 0: expected bytes from 0 to 2^62 together, got -1");
}
