// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal layers are solved once, and the answer is the least of all of them.

#include "DecoderProblem.h"
#include "RandomProblem.h"

#include "npu/Assignment/LeastCost.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

SearchRecord recordOf(const AssignmentProblem &problem, bool &isProved) {
  SearchRecord record;
  auto least = assignLeast(problem, {}, &record);
  EXPECT_TRUE(least) << least.error().message;
  isProved = least && least->isProved();
  if (least)
    EXPECT_TRUE(checkAssignment(problem, *least));
  return record;
}

AssignmentProblem decoder(const DecoderShape &shape) {
  std::mt19937 random(1);
  return decoderProblem(shape, random);
}

/// A chain of `count` operations, each of which makes what the next one needs
/// in its first layout at a cost of 3, or in its second layout at 2; to change
/// the layout costs `move`, and the first operation `firstCost`.
AssignmentProblem chain(int count, int64_t move, int64_t firstCost = 3) {
  AssignmentProblem problem;
  for (int v = 0; v <= count; ++v)
    problem.values.push_back({"", v - 1, {"a", "b"}, {{0, move}, {move, 0}}});
  for (int i = 0; i < count; ++i)
    problem.operations.push_back({"",
                                  "",
                                  {{"a", i == 0 ? firstCost : 3, {0}, {{i, 0}}},
                                   {"b", 2, {1}, {{i, 1}}}}});
  return problem;
}

/// Problems of which all assignments were tried: how many have one, and of how
/// many of these equal layers were solved once.
struct Tried {
  int fit = 0, solvedOnce = 0;

  /// Expects of the problem what trying all assignments finds.
  void expectEqual(const AssignmentProblem &problem) {
    SearchRecord record;
    auto tried = assignByTrying(problem);
    auto least = assignLeast(problem, {}, &record);
    ASSERT_EQ(bool(tried), bool(least));
    if (!tried)
      return;
    ++fit;
    solvedOnce += record.equalLayers > 0;
    EXPECT_EQ(least->cost, tried->cost);
    EXPECT_EQ(least->bound, tried->cost);
    EXPECT_TRUE(checkAssignment(problem, *least));
  }
};

} // namespace

TEST(EqualLayers, OperationsOfAChain) {
  bool isProved = false;
  SearchRecord record = recordOf(chain(40, 1), isProved);
  EXPECT_TRUE(isProved);
  EXPECT_EQ(record.equalLayers, 40);
  EXPECT_EQ(record.operationsEach, 1);
  auto least = assignLeast(chain(40, 1));
  ASSERT_TRUE(least);
  EXPECT_EQ(least->cost, 1 + 40 * 2);
}

// Three operations gain too little by the other layout to pay for the change,
// and forty enough: what three say of all is not believed.
TEST(EqualLayers, WhatPaysInManyLayersOnly) {
  bool isProved = false;
  EXPECT_EQ(recordOf(chain(40, 10), isProved).equalLayers, 0);
  EXPECT_TRUE(isProved);
  auto least = assignLeast(chain(40, 10));
  ASSERT_TRUE(least);
  EXPECT_EQ(least->cost, 10 + 40 * 2);
}

// The first of equal operations is another one, and none of the layers.
TEST(EqualLayers, WhatDiffersIsNoLayer) {
  bool isProved = false;
  SearchRecord record = recordOf(chain(40, 1, 4), isProved);
  EXPECT_TRUE(isProved);
  EXPECT_EQ(record.equalLayers, 39);
}

// Three layers are what is searched anyhow.
TEST(EqualLayers, ThreeAreTooFew) {
  bool isProved = false;
  EXPECT_EQ(recordOf(chain(3, 1), isProved).equalLayers, 0);
  EXPECT_TRUE(isProved);
  EXPECT_EQ(recordOf(chain(4, 1), isProved).equalLayers, 4);
  EXPECT_TRUE(isProved);
}

TEST(EqualLayers, DecodersAreSolvedOnce) {
  for (int layers : {7, 28, 80})
    for (int64_t noise : {0, 5000, 30000}) {
      bool isProved = false;
      SearchRecord record =
          recordOf(decoder({.layers = layers, .noise = noise}), isProved);
      EXPECT_TRUE(isProved) << layers << " layers, noise " << noise;
      EXPECT_GE(record.equalLayers, layers - 1) << "noise " << noise;
    }
}

TEST(EqualLayers, LayersThatDifferAreNot) {
  bool isProved = false;
  SearchRecord record = recordOf(
      decoder({.layers = 12, .noise = 5000, .layersDiffer = true}), isProved);
  EXPECT_TRUE(isProved);
  EXPECT_EQ(record.equalLayers, 0);
}

// What one layer keeps in scratchpads leaves less room to all after it: what
// three layers say of many is looked at in all of them.
TEST(EqualLayers, Memory) {
  for (int64_t scratchpad : {4000000, 10000000, 30000000}) {
    AssignmentProblem problem =
        decoder({.layers = 6, .scratchpad = scratchpad});
    auto least = assignLeast(problem, {.states = 16});
    ASSERT_TRUE(least) << least.error().message;
    EXPECT_TRUE(checkAssignment(problem, *least));
  }
}

// Blocks so small that everything can be tried, alone and in crowded memory.
TEST(EqualLayers, EqualsTryingRepeatedBlocks) {
  std::mt19937 random(11);
  Tried all;
  for (int i = 0; i < 300; ++i) {
    AssignmentProblem problem = repeatedProblem(random, 2, i % 2 ? 4 : 5);
    if (i % 3 == 0)
      crowdMemory(problem, random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(all.expectEqual(problem));
  }
  EXPECT_GT(all.fit, 100);
  EXPECT_GT(all.solvedOnce, 50);
}

// An operation after the layers reads a value of one of them: what the others
// make in its place has fewer readers, or none, and other prices.
TEST(EqualLayers, EqualsTryingWhereOneLayerIsReadAfter) {
  std::mt19937 random(12);
  Tried all;
  for (int i = 0; i < 1000; ++i) {
    AssignmentProblem problem = repeatedProblem(random, 2, i % 2 ? 4 : 5);
    readAfter(problem, random);
    ASSERT_TRUE(checkProblem(problem)) << checkProblem(problem).error().message;
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(all.expectEqual(problem));
  }
  EXPECT_GT(all.fit, 300);
  EXPECT_GT(all.solvedOnce, 100);
}
