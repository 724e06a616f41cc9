// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan is right when running it, element by element, gives every tile what
// it must hold: this file runs plans of random pairs of placements.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

std::string describePair(const Placement &source, const Placement &target) {
  std::string text = "shape " + toString(source.shape) + "\n";
  for (const TileBoxes &boxes : source.tiles)
    text += "  source " + toString(boxes.memory) + "\n";
  for (const TileBoxes &boxes : target.tiles)
    text += "  target " + toString(boxes.memory) + "\n";
  return text;
}

TEST(PlanExecution, MakesEveryRandomTargetFromEveryRandomSource) {
  RandomPlacements random(1);
  for (int round = 0; round < 6000; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    SCOPED_TRACE(describePair(source, target));
    Result<RedistributionPlan> plan = planRedistribution(source, target);
    ASSERT_TRUE(plan) << plan.error().message;
    Result<> error = checkRedistribution(source, target, *plan);
    ASSERT_TRUE(error) << error.error().message;
  }
}

TEST(PlanExecution, IsTheSameEveryTime) {
  RandomPlacements random(2);
  for (int round = 0; round < 200; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    RedistributionPlan first = *planRedistribution(source, target);
    RedistributionPlan second = *planRedistribution(source, target);
    ASSERT_EQ(first.transfers, second.transfers);
    for (std::size_t i = 1; i < first.transfers.size(); ++i)
      ASSERT_LE(first.transfers[i - 1].from, first.transfers[i].from);
  }
}

TEST(PlanExecution, RefusesWhatItCannotMean) {
  Distribution duplicated;
  duplicated.mode = Mode::Duplicated;
  duplicated.tileCount = 2;
  Placement small = *place(duplicated, {4});
  Placement large = *place(duplicated, {5});
  EXPECT_EQ(planRedistribution(small, large).error().message,
            "expected two placements of one shape, got shapes [4] and [5]");
  Placement gap = small;
  gap.tiles[0].memory = gap.tiles[1].memory = Box{{0, 3}};
  EXPECT_EQ(planRedistribution(gap, small).error().message,
            "expected every element on some tile, got none that holds [3:4]");
  gap.tiles[0].memory = Box{{0, 9}};
  EXPECT_FALSE(planRedistribution(gap, small));
}

} // namespace
} // namespace npu
