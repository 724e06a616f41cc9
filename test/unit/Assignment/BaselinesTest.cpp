// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What others do costs no less than the least, and small problems show why it
// costs more.

#include "npu/Assignment/Baselines.h"
#include "npu/Assignment/LeastCost.h"

#include "RandomProblem.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

/// A value in layouts of these names, each move at `cost`.
AssignedValue valueOf(int madeBy, std::vector<std::string> layouts,
                      int64_t cost) {
  AssignedValue value{"", madeBy, std::move(layouts), {}};
  for (size_t from = 0; from < value.layouts.size(); ++from) {
    value.moves.emplace_back(value.layouts.size(), cost);
    value.moves.back()[from] = 0;
  }
  return value;
}

/// The cost, or -1 where there is an error.
int64_t costOf(const Result<Assignment, NoAssignment> &found) {
  return found ? found->cost : -1;
}

/// Two values that are read by operations 4 and 3, and between them operation
/// 2, for which only one of them can stay in the scratchpad. That of the
/// furthest use costs 10 more in DDR, the other one costs 2 more.
AssignmentProblem squeeze() {
  AssignmentProblem problem;
  problem.values = {valueOf(0, {"rows", "ddr"}, 50),
                    valueOf(1, {"rows", "ddr"}, 50)};
  auto reader = [](int value, int64_t dear) {
    return AssignedOperation{
        "", "", {{"", 1, {}, {{value, 0}}}, {"", dear, {}, {{value, 1}}}}};
  };
  problem.operations = {{"", "", {{"", 1, {0}, {}}, {"", 1, {1}, {}}}},
                        {"", "", {{"", 1, {0}, {}}, {"", 1, {1}, {}}}},
                        {"", "", {{"", 1, {}, {}}}},
                        reader(1, 3),
                        reader(0, 11)};
  problem.memory = {{2, 0, 11, 1, {{0, 2}}, {{{0, 0}, 5}, {{1, 0}, 5}}}};
  return problem;
}

} // namespace

TEST(Baselines, CostNoLessThanTheLeast) {
  std::mt19937 random(5);
  int worse[4] = {}, equal[4] = {};
  for (int i = 0; i < 500; ++i) {
    AssignmentProblem problem = randomProblem(random, 12);
    Result<Assignment, NoAssignment> least = assignLeast(problem);
    Result<Assignment, NoAssignment> all[] = {
        assignGreedily(problem), assignByBeam(problem, 2),
        assignAs(problem, candidatesCalled("candidate 1")),
        assignAs(problem, candidatesByRows)};
    for (int k = 0; k < 4; ++k) {
      if (!all[k])
        continue;
      ASSERT_TRUE(least) << "problem " << i;
      Result<> error = checkAssignment(problem, *all[k]);
      EXPECT_TRUE(error) << error.error().message;
      EXPECT_EQ(all[k]->bound, 0);
      EXPECT_GE(all[k]->cost, least->cost) << "problem " << i;
      ++(all[k]->cost == least->cost ? equal : worse)[k];
    }
  }
  for (int k = 0; k < 4; ++k) {
    EXPECT_GT(worse[k], 0) << k;
    EXPECT_GT(equal[k], 0) << k;
  }
}

// A beam that drops nothing has tried everything where memory is no matter.
TEST(Baselines, AWideBeamFindsTheLeast) {
  std::mt19937 random(6);
  for (int i = 0; i < 300; ++i) {
    AssignmentProblem problem = randomProblem(random, 5);
    problem.memory.clear();
    EXPECT_EQ(costOf(assignByBeam(problem, 1000)),
              costOf(assignByTrying(problem)))
        << "problem " << i;
  }
}

// The value is cheapest to make in the layout that its next reader wants, and
// it is read again, far after, by one that wants another layout.
TEST(Baselines, GreedyForgetsAResidual) {
  AssignmentProblem problem;
  problem.values = {valueOf(0, {"rows", "columns"}, 10)};
  problem.operations = {
      {"", "", {{"", 1, {0}, {}}, {"", 2, {1}, {}}}},
      {"", "", {{"", 1, {}, {{0, 0}}}, {"", 2, {}, {{0, 1}}}}},
      {"", "", {{"", 1, {}, {{0, 1}}}}}};
  // 1 + 1 + 10 + 1 instead of 2 + 2 + 1.
  EXPECT_EQ(costOf(assignGreedily(problem)), 13);
  EXPECT_EQ(costOf(assignByBeam(problem)), 5);
  EXPECT_EQ(costOf(assignLeast(problem)), 5);
}

// Nine candidates to make it look cheaper for as long as it lives: a beam of
// eight drops the tenth.
TEST(Baselines, BeamForgetsAResidual) {
  AssignmentProblem problem;
  AssignedOperation maker, reader;
  for (int w = 0; w < 10; ++w) {
    maker.candidates.push_back({"", w, {w}, {}});
    reader.candidates.push_back({"", w == 9 ? 0 : 20, {}, {{0, w}}});
  }
  problem.values = {valueOf(0, std::vector<std::string>(10, "f"), 30)};
  problem.operations = {maker, {"", "", {{"", 1, {}, {}}}}, reader};
  EXPECT_EQ(costOf(assignByBeam(problem)), 21);
  EXPECT_EQ(costOf(assignByBeam(problem, 10)), 10);
  EXPECT_EQ(costOf(assignLeast(problem)), 10);
}

// Five readers of one weight; none of them would pay the move for itself.
TEST(Baselines, GreedyPaysASharedWeightTwice) {
  AssignmentProblem problem;
  problem.values = {valueOf(-1, {"ddr", "rows"}, 10)};
  problem.operations.assign(
      5, {"", "", {{"", 1, {}, {{0, 1}}}, {"", 4, {}, {{0, 0}}}}});
  EXPECT_EQ(costOf(assignGreedily(problem)), 20);
  EXPECT_EQ(costOf(assignLeast(problem)), 15);
}

TEST(Baselines, MemoryIsShort) {
  AssignmentProblem problem = squeeze();
  // The first of equal candidates keeps both values in the scratchpad.
  auto greedy = assignGreedily(problem);
  ASSERT_FALSE(greedy);
  EXPECT_EQ(greedy.error().message,
            "operation 2: no candidate of it fits with the "
            "candidates chosen before it");
  // A beam of one evicts the value with the furthest use.
  auto beam = assignByBeam(problem, 1);
  ASSERT_TRUE(beam) << beam.error().message;
  EXPECT_EQ(beam->candidates, (std::vector<int>{1, 0, 0, 0, 1}));
  EXPECT_EQ(beam->cost, 15);
  EXPECT_EQ(costOf(assignLeast(problem)), 7);
  // Where the furthest one has no other candidate to be made, the next one
  // goes.
  problem.operations[0].candidates.pop_back();
  beam = assignByBeam(problem, 1);
  ASSERT_TRUE(beam) << beam.error().message;
  EXPECT_EQ(beam->candidates, (std::vector<int>{0, 1, 0, 1, 0}));
  // Where none has, nothing fits.
  problem.operations[1].candidates.pop_back();
  beam = assignByBeam(problem);
  ASSERT_FALSE(beam);
  EXPECT_EQ(beam.error().message,
            "operation 2: whatever is chosen takes at least 13 bytes on tile "
            "0, which has 11");
}

// A layout that one of the chosen candidates needed is given up with that need.
TEST(Baselines, EvictionChoosesReadersAgain) {
  AssignmentProblem problem;
  problem.values = {valueOf(-1, {"ddr", "rows"}, 2)};
  problem.operations = {
      {"", "", {{"", 1, {}, {{0, 1}}}, {"", 9, {}, {{0, 0}}}}},
      {"", "", {{"", 1, {}, {}}}}};
  problem.memory = {{1, 0, 10, 0, {{0, 8}}, {{{0, 1}, 3}}}};
  auto beam = assignByBeam(problem, 1);
  ASSERT_TRUE(beam) << beam.error().message;
  EXPECT_EQ(beam->candidates, (std::vector<int>{1, 0}));
  EXPECT_EQ(beam->cost, 10);
}

TEST(Baselines, WantedCandidates) {
  AssignedOperation operation;
  for (const char *what :
       {"split d1 over 4", "split d0 over 2", "duplicated", "split d0 over 4",
        "2 x 2 grid of d0 and d1", "split d0 over 4, ceil", "one tile",
        "split d", "split d9 over", "in DDR",
        "split d0 over 4, combined as split d1 over 4"})
    operation.candidates.push_back({what, 0, {}, {}});
  EXPECT_EQ(candidatesByRows(operation), (std::vector<int>{3, 5}));
  EXPECT_EQ(candidatesCalled("duplicated")(operation), (std::vector<int>{2}));
  EXPECT_EQ(candidatesCalled("nothing")(operation), (std::vector<int>{}));
  AssignmentProblem problem;
  problem.operations = {operation, {"", "", {{"as it is written", 3, {}, {}}}}};
  auto rows = assignAs(problem, candidatesByRows);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->candidates, (std::vector<int>{3, 0}));
}

// A wanted candidate whose layout cannot be had is no candidate.
TEST(Baselines, WantedCandidatesThatCannotBe) {
  AssignmentProblem problem;
  problem.values = {valueOf(-1, {"ddr", "rows"}, 2)};
  problem.operations = {
      {"", "", {{"duplicated", 1, {}, {{0, 1}}}, {"in DDR", 9, {}, {{0, 0}}}}}};
  EXPECT_EQ(costOf(assignAs(problem, candidatesCalled("duplicated"))), 3);
  problem.values[0].moves[0][1] = kImpossible;
  EXPECT_EQ(costOf(assignAs(problem, candidatesCalled("duplicated"))), 9);
}

TEST(Baselines, ThroughDdr) {
  AssignmentProblem problem;
  problem.values = {valueOf(0, {"rows", "ddr", "columns", "all"}, 3)};
  std::vector<std::vector<int64_t>> &moves = problem.values[0].moves;
  moves[0] = {0, 20, 3, 3};
  moves[1] = {15, 0, 16, 17};
  problem.operations = {{"", "", {{"", 5, {0}, {}}}},
                        {"", "", {{"", 1, {}, {{0, 2}}}}},
                        {"", "", {{"", 1, {}, {{0, 3}}}}}};
  auto cost = [&] {
    auto complete = completeAssignment(problem, {0, 0, 0});
    EXPECT_TRUE(complete);
    return costThroughDdr(problem, *complete);
  };
  // One store, two loads.
  EXPECT_EQ(cost(), 7 + 20 + 16 + 17);
  // A free move is none.
  moves[0][3] = 0;
  EXPECT_EQ(cost(), 7 + 20 + 16);
  // It cannot be stored, or cannot be loaded.
  moves[0][1] = kImpossible;
  EXPECT_EQ(cost(), 7 + 3);
  moves[0][1] = 20;
  moves[1][2] = kImpossible;
  EXPECT_EQ(cost(), 7 + 3);
  // It is in DDR from the beginning.
  problem.operations[0].candidates[0].resultLayouts = {1};
  moves[1][2] = 16;
  EXPECT_EQ(cost(), 7 + 16 + 17);
  // It is needed in DDR, too.
  problem.operations[0].candidates[0].resultLayouts = {0};
  problem.operations[2].candidates[0].operandLayouts = {{0, 1}};
  EXPECT_EQ(cost(), 7 + 20 + 16);
}
