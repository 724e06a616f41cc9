// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of the size of whole decoders are solved and proved, and the work
// for a layer does not grow with their number.

#include "DecoderProblem.h"

#include "npu/Assignment/Baselines.h"
#include "npu/Assignment/LeastCost.h"

#include "SolveByCbc.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

AssignmentProblem decoder(const DecoderShape &shape) {
  std::mt19937 random(1);
  AssignmentProblem problem = decoderProblem(shape, random);
  EXPECT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
  return problem;
}

} // namespace

// One partial assignment between two operations is enough: a walk through the
// program, and the bound that prices give proves that it is the least.
TEST(DecoderProblem, ProvedWithOnePartialAssignment) {
  for (int layers : {1, 2, 7, 28})
    for (int64_t noise : {0, 5000, 30000}) {
      auto least = assignLeast(decoder({.layers = layers, .noise = noise}),
                               {.states = 1});
      ASSERT_TRUE(least) << least.error().message;
      EXPECT_TRUE(least->isProved())
          << layers << " layers, noise " << noise << ": " << least->cost
          << ", bound " << least->bound;
    }
}

TEST(DecoderProblem, EightyLayers) {
  auto least = assignLeast(decoder({.layers = 80}));
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_TRUE(least->isProved());
}

// Layers without any two equal costs in common.
TEST(DecoderProblem, LayersThatDiffer) {
  auto least =
      assignLeast(decoder({.layers = 28, .noise = 5000, .layersDiffer = true}));
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_TRUE(least->isProved());
}

TEST(DecoderProblem, Memory) {
  for (int64_t scratchpad : {400000, 4000000, 10000000, 30000000}) {
    AssignmentProblem problem =
        decoder({.layers = 1, .scratchpad = scratchpad});
    auto least = assignLeast(problem);
    ASSERT_TRUE(least) << least.error().message;
    EXPECT_TRUE(least->isProved()) << scratchpad;
    EXPECT_TRUE(checkAssignment(problem, *least));
  }
  auto least = assignLeast(decoder({.layers = 28, .scratchpad = 30000000}));
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_TRUE(least->isProved());
}

// Masks that stay for all layers leave each of them less room: the bound knows
// it by the multipliers of memory. Without them it is 14 percent lower.
TEST(DecoderProblem, MultipliersRaiseTheBound) {
  auto least = assignLeast(decoder({.layers = 3, .scratchpad = 4000000}),
                           {.states = 256});
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_LT(least->cost - least->bound, least->cost / 20);
}

TEST(DecoderProblem, LeastCostsNoMoreThanOthers) {
  for (int64_t scratchpad : {0, 400000, 1474560, 4000000, 30000000}) {
    AssignmentProblem problem =
        decoder({.layers = 3, .scratchpad = scratchpad});
    auto least = assignLeast(problem, {.states = 16});
    ASSERT_TRUE(least) << least.error().message;
    for (const Result<Assignment, NoAssignment> &other :
         {assignGreedily(problem), assignByBeam(problem),
          assignAs(problem, candidatesCalled("duplicated")),
          assignAs(problem, candidatesByRows)}) {
      ASSERT_TRUE(other) << other.error().message;
      EXPECT_LE(least->cost, other->cost) << scratchpad;
      EXPECT_TRUE(checkAssignment(problem, *other));
    }
  }
}

TEST(DecoderProblem, CbcFindsTheSame) {
  if (!hasCbc())
    GTEST_SKIP() << "cbc is not installed (Debian: coinor-cbc)";
  AssignmentProblem problem = decoder({.layers = 1});
  auto least = assignLeast(problem);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_EQ(solveByCbc(problem), std::optional(least->cost));
}
