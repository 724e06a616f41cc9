// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DDR bandwidth is the scarcest: an element that several tiles want must leave
// DDR once, and one that several tiles hold must be stored once, by tiles that
// share the work.

#include "Elements.h"
#include "RandomPlacements.h"
#include "npu/Placement/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

void expectNoOtherFigures(const RedistributionPlan &plan) {
  for (const Bounded *figure : {&plan.received, &plan.maxTileReceived,
                                &plan.injected, &plan.maxTileSent})
    EXPECT_EQ(*figure, Bounded{});
}

TEST(LoadStore, EveryWantedElementLeavesDdrOnce) {
  RandomPlacements random(1);
  for (int round = 0; round < 3000; ++round) {
    Extents shape = random.shape();
    Placement target = random.placement(shape);
    RedistributionPlan plan = *planLoad(target);
    std::vector<Elements> wanted, got;
    for (const TileBoxes &boxes : target.tiles) {
      wanted.push_back(elementsOf(boxes.memory, shape));
      got.emplace_back(elementCount(shape));
    }
    Elements left(elementCount(shape));
    for (const Transfer &transfer : plan.transfers) {
      ASSERT_EQ(transfer.from, kDdr);
      Elements box = elementsOf(transfer.box, shape);
      for (std::size_t i = 0; i < box.size(); ++i) {
        if (!box[i])
          continue;
        ASSERT_FALSE(left[i]);
        left[i] = true;
        for (int tile : transfer.to)
          got[tile][i] = true;
      }
    }
    ASSERT_EQ(got, wanted);
    ASSERT_EQ(plan.ddr, countOf(left));
    expectNoOtherFigures(plan);
  }
}

TEST(LoadStore, EveryElementIsStoredOnceByAHolder) {
  RandomPlacements random(2);
  for (int round = 0; round < 3000; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    RedistributionPlan plan = *planStore(source);
    Elements stored(elementCount(shape));
    for (const Transfer &transfer : plan.transfers) {
      ASSERT_EQ(transfer.to, std::vector<int>{kDdr});
      ASSERT_TRUE(source.tiles[transfer.from].memory.contains(transfer.box));
      Elements box = elementsOf(transfer.box, shape);
      for (std::size_t i = 0; i < box.size(); ++i) {
        ASSERT_FALSE(box[i] && stored[i]);
        stored[i] = stored[i] || box[i];
      }
    }
    ASSERT_EQ(countOf(stored), Box::whole(shape).volume());
    ASSERT_EQ(plan.ddr, Box::whole(shape).volume());
    expectNoOtherFigures(plan);
  }
}

TEST(LoadStore, HoldersShareTheStoring) {
  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 6;
  RedistributionPlan plan = *planStore(*place(whole, {1, 12, 10}));
  ASSERT_EQ(plan.transfers.size(), 6u);
  for (const Transfer &transfer : plan.transfers)
    EXPECT_EQ(transfer.box.volume(), 20);
}

TEST(LoadStore, AnEmptyTensorMovesNothing) {
  Distribution split;
  split.tiles = {2, 1};
  Placement placement = *place(split, {0, 8});
  EXPECT_TRUE(planLoad(placement)->transfers.empty());
  EXPECT_TRUE(planStore(placement)->transfers.empty());
  EXPECT_TRUE(planRedistribution(placement, placement)->transfers.empty());
}

TEST(LoadStore, AScalarIsLoadedOnceForAll) {
  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 3;
  Placement three = *place(whole, {});
  whole.tileCount = 2;
  Placement two = *place(whole, {});
  EXPECT_EQ(planLoad(three)->transfers,
            (std::vector<Transfer>{{kDdr, {0, 1, 2}, Box()}}));
  EXPECT_EQ(planStore(three)->transfers.size(), 1u);
  RedistributionPlan plan = *planRedistribution(two, three);
  EXPECT_EQ(plan.transfers, (std::vector<Transfer>{{0, {2}, Box()}}));
}

} // namespace
} // namespace npu
