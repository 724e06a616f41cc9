// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DDR bandwidth is the scarcest: an element that several tiles want must leave
// DDR once, and one that several tiles hold must be stored once, by tiles that
// share the work.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/WholeBytes.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(LoadStore, EveryWantedElementLeavesDdrOnce) {
  RandomPlacements random(1);
  for (int round = 0; round < 3000; ++round) {
    Placement target = random.placement(random.shape());
    Result<> error = checkLoad(target, *planLoad(target));
    ASSERT_TRUE(error) << error.error().message;
  }
}

TEST(LoadStore, EveryElementIsStoredOnceByAHolder) {
  RandomPlacements random(2);
  for (int round = 0; round < 3000; ++round) {
    Placement source = random.placement(random.shape());
    Result<> error = checkStore(source, *planStore(source));
    ASSERT_TRUE(error) << error.error().message;
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

TEST(LoadStore, BytesThatElementsShareHaveOneSender) {
  RandomPlacements random(3);
  int shared = 0;
  for (int round = 0; round < 4000; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    Padding padding;
    if (random.oneIn(3))
      padding = random.padding(shape);
    for (int64_t perByte : {2, 4}) {
      if (findByteCut(source, {}, perByte) || findByteCut(target, {}, perByte))
        continue;
      Extents multiples = cutsBetweenBytes(shape, {}, perByte);
      shared += !planStore(source, padding)->transfers.empty();
      for (const RedistributionPlan &plan :
           {*planStore(source, padding, multiples),
            *planRedistribution(source, target, padding, multiples),
            *planLoad(target, padding)}) {
        Result<> error = checkSharedBytes(shape, plan, perByte, padding);
        ASSERT_TRUE(error) << error.error().message;
      }
    }
  }
  EXPECT_GT(shared, 500);
}

TEST(LoadStore, HoldersShareRowsThatBeginAtBytes) {
  // Of 6 rows of 7 elements, 2 to a byte, every second begins a byte.
  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 4;
  Placement placement = *place(whole, {6, 7});
  EXPECT_EQ(planStore(placement)->transfers.size(), 4u);
  EXPECT_EQ(
      planStore(placement, {}, cutsBetweenBytes({6, 7}, {}, 2))->transfers,
      (std::vector<Transfer>{{0, {kDdr}, Box{{0, 2}, {0, 7}}},
                             {1, {kDdr}, Box{{2, 4}, {0, 7}}},
                             {2, {kDdr}, Box{{4, 6}, {0, 7}}}}));
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
