// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding does not move: a plan of what is real is as good as one for the
// tensor without padding, and touches no padded entry.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/Holders.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

Placement split(Extents shape, std::size_t dim, int64_t tiles) {
  Distribution distribution;
  distribution.tiles = Extents(shape.size(), 1);
  distribution.tiles[dim] = tiles;
  return *place(distribution, shape);
}

TEST(Padding, ThePromptOf336In512) {
  Placement heads = split({1, 28, 512, 128}, 1, 4);
  Placement rows = split({1, 28, 512, 128}, 2, 4);
  Padding padding = {{2, {336, 512}}};
  RedistributionPlan plan = *planRedistribution(heads, rows, padding);
  // Tiles 0 and 1 want 128 rows of 28 heads and have 7, tile 2 wants 80, tile 3
  // nothing but padding.
  EXPECT_EQ(plan.received.value, (128 + 128 + 80) * 21 * 128);
  EXPECT_EQ(plan.received.bound, plan.received.value);
  EXPECT_EQ(plan.maxTileReceived.value, 128 * 21 * 128);
  for (const Transfer &transfer : plan.transfers)
    EXPECT_LE(transfer.box[2].end, 336) << toString(transfer.box);
  EXPECT_EQ(planLoad(rows, padding)->ddr, 28 * 336 * 128);
  EXPECT_EQ(planStore(heads, padding)->ddr, 28 * 336 * 128);
}

TEST(Padding, AHoleDividesTransfers) {
  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 1;
  RedistributionPlan plan =
      *planLoad(*place(whole, {10}), Padding{{0, {4, 7}}});
  ASSERT_EQ(plan.transfers.size(), 2u);
  EXPECT_EQ(plan.transfers[0].box, (Box{{0, 4}}));
  EXPECT_EQ(plan.transfers[1].box, (Box{{7, 10}}));
}

TEST(Padding, RealPartsAndBack) {
  RandomPlacements random(11);
  for (int round = 0; round < 3000; ++round) {
    Extents shape = random.shape();
    Padding padding = random.padding(shape);
    ASSERT_TRUE(checkPadding(padding, shape));
    // Element by element: in some box of the way back, or in padding.
    std::vector<int> seen(Box::whole(shape).volume());
    auto count = [&](const std::vector<Box> &boxes, int value) {
      for (const Box &box : boxes)
        forEachElementIn(box, shape, [&](std::size_t element) {
          seen[element] = value == 1 ? seen[element] + 1 : 1;
        });
    };
    Box real = Box::whole(realShape(shape, padding));
    EXPECT_EQ(realPart(Box::whole(shape), padding), real);
    if (!real.isEmpty())
      count(amongPadding(real, padding), 1);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), real.volume());
    count(paddingIn(Box::whole(shape), padding), 2);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1),
              static_cast<int64_t>(seen.size()));
  }
}

TEST(Padding, PlansOfRandomPairs) {
  RandomPlacements random(12);
  for (int round = 0; round < 3000; ++round) {
    Extents shape = random.shape();
    Padding padding = random.padding(shape);
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    Result<> error = checkRedistribution(
        source, target, *planRedistribution(source, target, padding), padding);
    ASSERT_TRUE(error) << error.error().message;
    error = checkLoad(target, *planLoad(target, padding), padding);
    ASSERT_TRUE(error) << error.error().message;
    error = checkStore(source, *planStore(source, padding), padding);
    ASSERT_TRUE(error) << error.error().message;
  }
}

TEST(Padding, WrongPaddingIsRefused) {
  Placement rows = split({8, 4}, 0, 2);
  auto why = [&](const Padding &padding) {
    return planLoad(rows, padding).error().message;
  };
  EXPECT_EQ(why({{0, {6, 9}}}),
            "expected padding inside dimension 0 of extent 8, got 6:9");
  EXPECT_EQ(why({{0, {6, 5}}}),
            "expected padding inside dimension 0 of extent 8, got 6:5");
  EXPECT_EQ(why({{2, {0, 1}}}),
            "expected padding of a dimension below 2, got dimension 2");
  EXPECT_EQ(why({{1, {0, 1}}, {0, {0, 1}}}),
            "expected increasing dimensions in padding, got 0 after 1");
}

TEST(Padding, OfAPartIsInItsOwnCoordinates) {
  EXPECT_EQ(paddingOfPart(Padding{{0, {5, 8}}}, Box({{4, 8}, {0, 6}})),
            (Padding{{0, {1, 4}}}));
  EXPECT_EQ(paddingOfPart(Padding{{0, {5, 8}}}, Box({{0, 5}, {0, 6}})),
            Padding());
}

} // namespace
} // namespace npu
