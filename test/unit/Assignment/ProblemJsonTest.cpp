// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignment problems as JSON: what is written is read again, and what is wrong
// is named by its path.

#include "npu/Assignment/ProblemJson.h"
#include "npu/Assignment/LeastCost.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

constexpr const char *kSmall =
    R"({"functions":[{"memory":[{"at":0,"capacity":10,"fixed":2,"forms":[[0,1,4]],"tile":1,"ways":[[0,0,4]]}],)"
    R"("name":"main","operations":[{"id":0,"location":"a:1","name":"add","ways":[{"cost":5,"makes":[0],"needs":[[0,1]],"what":"rows"}]}],)"
    R"("solution":{"bound":8,"cost":8,"forms":[[0,1],[0]],"proved":true,"ways":[0]},"target":"npu4000","unit":"cycles",)"
    R"("values":[{"forms":["ddr","rows"],"id":0,"made_by":null,"moves":[[0,3],[null,0]],"name":"%0"},)"
    R"({"forms":["rows"],"id":1,"made_by":0,"moves":[[0]],"name":"%1"}]}]})"
    "\n";

/// The message about the text in which `from` is replaced.
std::string messageOf(const std::string &from, const std::string &to) {
  std::string text = kSmall;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  auto reports = readAssignmentJson(text);
  return reports ? "" : reports.error().message;
}

} // namespace

TEST(ProblemJson, Written) {
  AssignmentReport report{"main", "npu4000", {}, {}};
  AssignmentProblem &problem = report.problem;
  problem.values = {{"%0", -1, {"ddr", "rows"}, {{0, 3}, {kImpossible, 0}}},
                    {"%1", 0, {"rows"}, {{0}}}};
  problem.operations = {{"add", "a:1", {{"rows", 5, {0}, {{0, 1}}}}}};
  problem.memory = {{0, 1, 10, 2, {{0, 4}}, {{{0, 1}, 4}}}};
  report.solution = *assignLeast(problem);
  EXPECT_EQ(assignmentJson({report}), kSmall);
}

TEST(ProblemJson, ReadAgain) {
  std::mt19937 random(4);
  for (int i = 0; i < 50; ++i) {
    AssignmentReport report{"f", "npu3720", randomProblem(random, 8), {}};
    if (auto least = assignLeast(report.problem))
      report.solution = *least;
    auto again = readAssignmentJson(assignmentJson({report, report}));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, (std::vector{report, report}));
  }
}

TEST(ProblemJson, Refused) {
  EXPECT_EQ(messageOf("\"cost\":5", "\"cost\":\"five\""),
            "expected integer at "
            "report.functions[0].operations[0].ways[0].cost");
  EXPECT_EQ(messageOf("\"id\":1", "\"id\":2"),
            "expected the number of the place in the array at "
            "report.functions[0].values[1].id");
  EXPECT_EQ(messageOf("[[0,0,4]]", "[[3,0,4]]"),
            "expected candidates of the row's operation at "
            "report.functions[0].memory[0].ways");
  EXPECT_EQ(messageOf("[[0,3],", "[[0,-3],"),
            "expected costs from 0 on, or null at "
            "report.functions[0].values[0].moves");
  EXPECT_EQ(messageOf("\"made_by\":0", "\"made_by\":9"),
            "function 'main': value 1: expected to be made by one of 1 "
            "operations, got 9");
  EXPECT_EQ(messageOf("\"cost\":8", "\"cost\":7"),
            "function 'main': expected the cost 8 of these candidates, got 7");
  EXPECT_EQ(messageOf("\"bound\":8", "\"bound\":9"),
            "function 'main': expected a bound of at most 8, got 9");
  EXPECT_EQ(messageOf("[[0,1],[0]]", "[[1],[0]]"),
            "function 'main': expected the layouts that these candidates make "
            "and need");
  EXPECT_EQ(
      messageOf("\"proved\":true,\"ways\":[0]", "\"ways\":[1]"),
      "function 'main': operation 0: expected one of 1 candidates, got 1");
  EXPECT_NE(messageOf("{\"functions\"", "[\"functions\""), "");
}
