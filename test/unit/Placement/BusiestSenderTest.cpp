// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where several tiles hold an element, who sends it decides how long the
// busiest sender is busy. The least possible maximum is known in closed form:
// for every set of tiles, what only they hold divided by their number. This
// file evaluates it over all sets and compares.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(BusiestSender, IsWithinOneSliceOfTheClosedFormula) {
  RandomPlacements random(3);
  int plans = 0, atBound = 0;
  for (int round = 0; round < 6000; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    RedistributionPlan plan = *planRedistribution(source, target);
    ASSERT_EQ(plan.maxTileSent.bound, leastBusiestSender(source, target));
    ASSERT_GE(plan.maxTileSent.value, plan.maxTileSent.bound);
    if (plan.transfers.empty())
      continue;
    ASSERT_LT(plan.maxTileSent.value,
              plan.maxTileSent.bound + largestSlice(source, target));
    ++plans;
    atBound += plan.maxTileSent.value == plan.maxTileSent.bound;
  }
  // Most are at the bound itself; nearly all the others cannot be, with boxes
  // that are cut along one dimension.
  EXPECT_GT(plans, 2000);
  EXPECT_GE(atBound, plans * 92 / 100) << atBound << " of " << plans;
}

TEST(BusiestSender, TwoCutsWhereOneCannotBeExact) {
  // Tiles 0 and 1 hold everything and share 240 + 192 elements. 216 is neither
  // one of the pieces nor a number of slices of them, but half of each is.
  Extents shape{9, 6, 8};
  Distribution source, target;
  source.mode = Mode::Duplicated;
  source.tileCount = 2;
  target.mode = Mode::Overlapped;
  Box whole = Box::whole(shape);
  target.compute = {whole, whole, Box{{0, 5}, {0, 6}, {0, 8}},
                    Box{{5, 9}, {0, 6}, {0, 8}}};
  RedistributionPlan plan =
      *planRedistribution(*place(source, shape), *place(target, shape));
  EXPECT_EQ(plan.maxTileSent, (Bounded{216, 216}));
  EXPECT_EQ(plan.transfers.size(), 4u);
}

TEST(BusiestSender, WholePiecesWhereTheyBalance) {
  // Tiles 0 and 1 hold all; the others fetch 5, 4, 3 and 2 of 14. Without a
  // cut, 5 + 2 and 4 + 3 are even.
  Distribution source, target;
  source.mode = Mode::Duplicated;
  source.tileCount = 2;
  target.compute = {Box{{0, 0}}, Box{{0, 0}},  Box{{0, 5}},
                    Box{{5, 9}}, Box{{9, 12}}, Box{{12, 14}}};
  RedistributionPlan plan =
      *planRedistribution(*place(source, {14}), *place(target, {14}));
  EXPECT_EQ(plan.maxTileSent, (Bounded{7, 7}));
  EXPECT_EQ(plan.transfers.size(), 4u);
}

} // namespace
} // namespace npu
