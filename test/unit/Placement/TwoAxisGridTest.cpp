// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a 2x2 grid of tiles, collective operations move up to 1.57 times the
// elements that are missing. This file goes through every way to split a
// tensor over the two axes of the grid, and wants every plan to be at its
// bounds exactly, the busiest sender included.

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// The axes that split each dimension: "", "a", "b", "ab" or "ba", slowest
/// first.
using Axes = std::vector<std::string>;

/// All assignments in which no axis splits two dimensions.
std::vector<Axes> allAxes(std::size_t rank) {
  std::vector<Axes> result{Axes(rank)};
  for (std::size_t dim = 0; dim < rank; ++dim)
    for (const char *word : {"a", "b", "ab", "ba"}) {
      result.push_back(Axes(rank));
      result.back()[dim] = word;
    }
  for (std::size_t first = 0; first < rank; ++first)
    for (std::size_t second = 0; second < rank; ++second)
      if (first != second) {
        result.push_back(Axes(rank));
        result.back()[first] = "a";
        result.back()[second] = "b";
      }
  return result;
}

/// Tile 2a + b holds the parts that its place on the axes says. An axis that
/// splits nothing makes replicas.
Placement placementOf(const Axes &axes, const Extents &shape) {
  Distribution boxes;
  for (int64_t tile = 0; tile < 4; ++tile) {
    Box box = Box::whole(shape);
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      for (char axis : axes[dim]) {
        int64_t half = box[dim].extent() / 2;
        int64_t index = axis == 'a' ? tile / 2 : tile % 2;
        box[dim].begin += index * half;
        box[dim].end = box[dim].begin + half;
      }
    boxes.compute.push_back(box);
  }
  Result<Placement> placement = place(boxes, shape);
  EXPECT_TRUE(placement) << placement.error().message;
  return *placement;
}

void expectAllPairsAtTheirBounds(const Extents &shape, std::size_t pairs) {
  std::vector<Axes> all = allAxes(shape.size());
  std::size_t count = 0;
  for (const Axes &from : all)
    for (const Axes &to : all) {
      if (from == to)
        continue;
      ++count;
      Placement source = placementOf(from, shape);
      Placement target = placementOf(to, shape);
      Result<RedistributionPlan> plan = planRedistribution(source, target);
      ASSERT_TRUE(plan) << plan.error().message;
      std::string text;
      for (std::size_t dim = 0; dim < shape.size(); ++dim)
        text += "[" + from[dim] + "] -> [" + to[dim] + "] ";
      SCOPED_TRACE(text);
      EXPECT_EQ(plan->received.value, elementsMissing(source, target));
      EXPECT_EQ(plan->received.value, plan->received.bound);
      EXPECT_EQ(plan->maxTileReceived.value, plan->maxTileReceived.bound);
      EXPECT_EQ(plan->injected.value, plan->injected.bound);
      EXPECT_EQ(plan->maxTileSent.value, plan->maxTileSent.bound);
    }
  EXPECT_EQ(count, pairs);
}

TEST(TwoAxisGrid, EveryPairOfSplitsOfTwoDimensions) {
  EXPECT_EQ(allAxes(2).size(), 11u);
  expectAllPairsAtTheirBounds({8, 8}, 110);
}

TEST(TwoAxisGrid, EveryPairOfSplitsOfThreeDimensions) {
  EXPECT_EQ(allAxes(3).size(), 19u);
  expectAllPairsAtTheirBounds({8, 8, 8}, 342);
}

} // namespace
} // namespace npu
