// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests and the fuzzer believe what checkRedistribution says of a plan. Here
// plans are broken in every way it is to notice.

#include "npu-fuzz/Plans/CheckPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

Distribution rows(int64_t tiles) {
  Distribution result;
  result.tiles = {tiles, 1};
  return result;
}

Distribution columns(int64_t tiles) {
  Distribution result;
  result.tiles = {1, tiles};
  return result;
}

const Extents shape{6, 6};
const Placement source = *place(rows(3), shape);
const Placement target = *place(columns(2), shape);

std::string whyWrong(const RedistributionPlan &plan) {
  Result<> error = checkRedistribution(source, target, plan);
  return error ? "" : error.error().message;
}

TEST(CheckPlan, AcceptsWhatThePlannerMakes) {
  EXPECT_EQ(whyWrong(*planRedistribution(source, target)), "");
}

TEST(CheckPlan, NoticesEveryKindOfWrongPlan) {
  RedistributionPlan good = *planRedistribution(source, target);
  ASSERT_EQ(good.transfers.size(), 4u);
  ASSERT_EQ(toString(good.transfers[0].box), "[0:2, 3:6]");

  RedistributionPlan plan = good;
  plan.transfers.list().pop_back();
  EXPECT_EQ(whyWrong(plan), "tile 1 never gets element 27");

  plan = good;
  plan.transfers.list()[1].from = 0;
  EXPECT_NE(whyWrong(plan).find("the sender does not hold it"),
            std::string::npos)
      << whyWrong(plan);

  plan = good;
  plan.transfers.list()[0].to = {1, 2};
  EXPECT_NE(whyWrong(plan).find("a receiver does not want it"),
            std::string::npos);

  plan = good;
  plan.transfers.list()[0].to = {0, 1};
  EXPECT_NE(whyWrong(plan).find("a receiver has it already"),
            std::string::npos);

  plan = good;
  plan.transfers.list().insert(plan.transfers.list().begin(),
                               Transfer(plan.transfers[0]));
  plan.transfers.list()[1].box = Box{{1, 3}, {4, 6}};
  EXPECT_NE(whyWrong(plan).find("sends what was sent before"),
            std::string::npos);

  plan.transfers.list()[0].box = Box{{0, 1}, {3, 6}};
  plan.transfers.list()[1].box = Box{{1, 2}, {3, 6}};
  EXPECT_NE(whyWrong(plan).find("could be one with that of"),
            std::string::npos);

  for (Bounded RedistributionPlan::*figure :
       {&RedistributionPlan::received, &RedistributionPlan::maxTileReceived,
        &RedistributionPlan::injected, &RedistributionPlan::maxTileSent}) {
    plan = good;
    ++(plan.*figure).value;
    EXPECT_NE(whyWrong(plan), "");
    plan = good;
    --(plan.*figure).bound;
    EXPECT_NE(whyWrong(plan), "");
  }
}

TEST(CheckPlan, NoticesWrongLoadsAndStores) {
  RedistributionPlan load = *planLoad(target);
  EXPECT_TRUE(checkLoad(target, load));
  load.transfers.list().pop_back();
  EXPECT_EQ(checkLoad(target, load).error().message,
            "tile 1 never gets element 3");
  RedistributionPlan store = *planStore(source);
  EXPECT_TRUE(checkStore(source, store));
  ++store.ddr;
  EXPECT_EQ(checkStore(source, store).error().message,
            "ddr: expected 36, got 37");
  store.transfers.list().pop_back();
  EXPECT_FALSE(checkStore(source, store));
}

} // namespace
} // namespace npu
