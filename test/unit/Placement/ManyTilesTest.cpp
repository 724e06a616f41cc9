// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices have thousands of cores elsewhere. At the largest number of tiles
// nothing here may take quadratic time or memory in them, and what cannot be
// planned must be refused soon.

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

Distribution split(Extents tiles, Mode mode = Mode::Segmented,
                   Split rule = Split::Balanced) {
  Distribution result;
  result.mode = mode;
  result.tiles = tiles;
  result.split = rule;
  return result;
}

Distribution whole(int64_t tiles) {
  Distribution result;
  result.mode = Mode::Duplicated;
  result.tileCount = tiles;
  return result;
}

std::vector<Box> boxesOf(const Placement &placement) {
  std::vector<Box> boxes;
  for (const TileBoxes &tile : placement.tiles)
    boxes.push_back(tile.compute);
  return boxes;
}

void expectAtBounds(const RedistributionPlan &plan) {
  EXPECT_EQ(plan.received.value, plan.received.bound);
  EXPECT_EQ(plan.maxTileReceived.value, plan.maxTileReceived.bound);
  EXPECT_EQ(plan.injected.value, plan.injected.bound);
  EXPECT_EQ(plan.maxTileSent.value, plan.maxTileSent.bound);
}

TEST(ManyTiles, ExplicitGridsAreCheckedAndRecognised) {
  Extents shape{1024, 1024};
  std::vector<Box> grid = boxesOf(*place(split({64, 64}), shape));
  Distribution boxes;
  boxes.compute = grid;
  ASSERT_TRUE(place(boxes, shape));
  EXPECT_EQ(canonical(boxes, shape), split({64, 64}));
  EXPECT_EQ(describe(shape, grid), split({64, 64}));
  // One element too few, and one too many.
  boxes.compute[1000][1].end -= 1;
  EXPECT_NE(place(boxes, shape).error().message.find("cover"),
            std::string::npos);
  boxes.compute[1000][1].end += 2;
  EXPECT_NE(place(boxes, shape).error().message.find("disjoint"),
            std::string::npos);
}

TEST(ManyTiles, OneDimensionToWhole) {
  Extents shape{8192, 64};
  RedistributionPlan plan = *planRedistribution(*place(split({4096, 1}), shape),
                                                *place(whole(4096), shape));
  expectAtBounds(plan);
  EXPECT_EQ(plan.transfers.size(), 4096u);
  EXPECT_EQ(plan.transfers.front().to.size(), 4095u);
}

TEST(ManyTiles, BalancedToCeil) {
  Extents shape{28 * 4096 + 77, 5};
  expectAtBounds(*planRedistribution(
      *place(split({4096, 1}), shape),
      *place(split({4096, 1}, Mode::Segmented, Split::Ceil), shape)));
}

TEST(ManyTiles, OneGridToAnother) {
  Extents shape{1024, 1024};
  Placement source = *place(split({64, 64}), shape);
  for (Extents tiles : {Extents{16, 256}, Extents{256, 16}, Extents{4096, 1}}) {
    // 4096 parts of 1024 rows: the tail holds nothing, which is allowed.
    RedistributionPlan plan =
        *planRedistribution(source, *place(split(tiles), shape));
    expectAtBounds(plan);
  }
}

TEST(ManyTiles, WholeToOneDimension) {
  Extents shape{8192, 64};
  RedistributionPlan plan = *planRedistribution(
      *place(whole(2048), shape), *place(split({4096, 1}), shape));
  expectAtBounds(plan);
  EXPECT_EQ(plan.transfers.size(), 2048u);
}

TEST(ManyTiles, TooManyPiecesAreRefused) {
  Extents shape{8192, 8192};
  EXPECT_EQ(planRedistribution(*place(split({4096, 1}), shape),
                               *place(split({1, 4096}), shape))
                .error()
                .message,
            "expected at most 1048576 pieces to move, got more");
  // Half as long on both sides, it is still a plan.
  RedistributionPlan plan = *planRedistribution(*place(split({512, 1}), shape),
                                                *place(split({1, 512}), shape));
  expectAtBounds(plan);
  EXPECT_EQ(plan.transfers.size(), 512u * 511u);
}

/// A plan is certain to be found where borders are few, and is then found.
TEST(ManyTiles, PlansAreSureWhereBordersAreFew) {
  Extents shape{8192, 8192};
  auto isSure = [&](const Distribution &from, const Distribution &to) {
    Placement source = *place(from, shape), target = *place(to, shape);
    const Placement *sides[] = {&source, &target};
    bool sure = isSurelyPlannable(sides);
    if (sure) {
      EXPECT_TRUE(planRedistribution(source, target));
    }
    return sure;
  };
  EXPECT_TRUE(isSure(split({256, 1}), split({1, 256})));
  EXPECT_TRUE(isSure(split({4096, 1}), split({1, 1})));
  EXPECT_TRUE(isSure(split({16, 16}), split({256, 1})));
  EXPECT_TRUE(isSure(whole(1024), split({4096, 1})));
  // These can be planned, which only planning tells, and cannot.
  EXPECT_FALSE(isSure(split({512, 1}), split({1, 512})));
  EXPECT_FALSE(isSure(split({4096, 1}), split({1, 4096})));
  // Loads and stores have as many pieces as boxes have cells.
  Placement rows = *place(split({4096, 1}), shape);
  const Placement *side[] = {&rows};
  EXPECT_TRUE(isSurelyPlannable(side));
  EXPECT_TRUE(planLoad(rows));
  EXPECT_TRUE(planStore(rows));
}

TEST(ManyTiles, ExtentsNearTheLimit) {
  Extents shape{INT64_MAX};
  Placement source = *place(split({4096}), shape);
  Placement target = *place(split({4095}, Mode::Segmented, Split::Ceil), shape);
  expectAtBounds(*planRedistribution(source, target));
  expectAtBounds(*planRedistribution(*place(whole(2), {INT64_MAX / 4}),
                                     *place(whole(4), {INT64_MAX / 4})));
}

} // namespace
} // namespace npu
