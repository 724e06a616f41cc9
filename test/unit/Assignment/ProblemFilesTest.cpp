// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems whose optimum is known, in data/: every solver runs on each of them.
// A file is a report with its solution, which was found by trying everything or
// by hand, and a sentence "about" what it shows.

#include "npu/Assignment/Baselines.h"
#include "npu/Assignment/LeastCost.h"
#include "npu/Assignment/ProblemJson.h"

#include "SolveByCbc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace npu;

namespace {

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto &entry :
       std::filesystem::directory_iterator(NPU_TEST_DATA_DIR))
    if (entry.path().extension() == ".json")
      found.push_back(entry.path().stem().string());
  std::ranges::sort(found);
  return found;
}

class ProblemFiles : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    std::ostringstream text;
    text << std::ifstream(std::filesystem::path(NPU_TEST_DATA_DIR) /
                          (GetParam() + ".json"))
                .rdbuf();
    auto reports = readAssignmentJson(text.str());
    ASSERT_TRUE(reports) << reports.error().message;
    ASSERT_EQ(reports->size(), 1U);
    problem = reports->front().problem;
    known = reports->front().solution;
  }

  AssignmentProblem problem;
  /// Nothing where nothing fits.
  std::optional<Assignment> known;
};

} // namespace

TEST_P(ProblemFiles, LeastIsTheOptimum) {
  auto least = assignLeast(problem);
  ASSERT_EQ(bool(least), known.has_value());
  if (!least)
    return;
  EXPECT_EQ(least->cost, known->cost);
  EXPECT_TRUE(least->isProved());
  EXPECT_TRUE(checkAssignment(problem, *least));
}

TEST_P(ProblemFiles, BaselinesCostNoLess) {
  Result<Assignment, NoAssignment> all[] = {
      assignGreedily(problem), assignByBeam(problem), assignByBeam(problem, 1),
      assignAs(problem, candidatesCalled("duplicated")),
      assignAs(problem, candidatesByRows)};
  for (const Result<Assignment, NoAssignment> &found : all) {
    if (!found)
      continue;
    ASSERT_TRUE(known);
    EXPECT_GE(found->cost, known->cost);
    EXPECT_TRUE(checkAssignment(problem, *found));
  }
}

TEST_P(ProblemFiles, TryingFindsTheSame) {
  // Longer ones have too many choices.
  if (problem.operations.size() > 12)
    return;
  auto tried = assignByTrying(problem);
  ASSERT_EQ(bool(tried), known.has_value());
  if (known)
    EXPECT_EQ(tried->cost, known->cost);
}

TEST_P(ProblemFiles, CbcFindsTheSame) {
  if (!hasCbc())
    GTEST_SKIP() << "cbc is not installed (Debian: coinor-cbc)";
  auto optimum = solveByCbc(problem);
  ASSERT_EQ(optimum.has_value(), known.has_value());
  if (known)
    EXPECT_EQ(*optimum, known->cost);
}

INSTANTIATE_TEST_SUITE_P(Data, ProblemFiles, testing::ValuesIn(names()),
                         [](const auto &instance) { return instance.param; });
