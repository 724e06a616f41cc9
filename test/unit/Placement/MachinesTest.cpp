// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between machines no plan moves more than it has to: each element crosses to a
// machine once, and only where no tile of that machine holds it. An oracle that
// looks at every element of small tensors says how much that is.

#include "npu/Placement/Plans/Machines.h"
#include "Layouts.h"
#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(Machines, WhichTileIsWhere) {
  Machines machines{4};
  EXPECT_TRUE(machines.areSeveral());
  EXPECT_EQ(machines.of(3), 0);
  EXPECT_EQ(machines.of(4), 1);
  EXPECT_EQ(machines.of(kDdr), 0);
  EXPECT_FALSE(Machines().areSeveral());
  EXPECT_EQ(Machines().of(4000), 0);
  EXPECT_EQ(Machines{1}.of(kDdr), 0);
}

TEST(Machines, CrossingsOnceForEachMachine) {
  auto count = [](int64_t tilesEach, int from, std::vector<int> to) {
    return countCrossings(Machines{tilesEach}, from, to);
  };
  EXPECT_EQ(count(2, 0, {1}), 0);
  EXPECT_EQ(count(2, 0, {1, 2, 3}), 1);
  EXPECT_EQ(count(2, 2, {0, 1, 3, 4, 5}), 2);
  EXPECT_EQ(count(2, kDdr, {0, 1, 2, 3}), 1);
  EXPECT_EQ(count(2, 3, {kDdr}), 1);
  EXPECT_EQ(count(2, 1, {kDdr}), 0);
  EXPECT_EQ(count(0, 0, {1, 2, 3}), 0);
}

TEST(Machines, RandomPlansBringTheLeast) {
  RandomPlacements random(11);
  int crossing = 0, held = 0;
  for (int round = 0; round < 6000; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape, /*maxTiles=*/8);
    Placement target = random.placement(shape, /*maxTiles=*/8);
    Padding padding;
    if (random.oneIn(4))
      padding = random.padding(shape);
    Machines machines{random.between(1, 4)};
    Result<RedistributionPlan> plan =
        planRedistribution(source, target, padding, {}, machines);
    ASSERT_TRUE(plan) << plan.error().message;
    for (Result<> error :
         {checkOnMachines(&source, &target, *plan, machines, padding),
          checkOnMachines(nullptr, &target,
                          *planLoad(target, padding, machines), machines,
                          padding),
          checkOnMachines(&source, nullptr,
                          *planStore(source, padding, {}, machines), machines,
                          padding)})
      ASSERT_TRUE(error) << toString(shape) << " on machines of "
                         << machines.tilesEach
                         << " tiles: " << error.error().message;
    crossing += plan->betweenMachines.value > 0;
    held += plan->betweenMachines.value < plan->injected.value;
  }
  // Most plans cross, and most of these move within machines as well.
  EXPECT_GT(crossing, 2000);
  EXPECT_GT(held, 2000);
}

// What tiles of both machines hold is sent within each of them.
TEST(Machines, SenderOnTheReceiversMachine) {
  Extents shape{8, 4};
  Distribution source, target;
  source.mode = target.mode = Mode::Overlapped;
  Box whole = Box::whole(shape), nothing{{0, 0}, {0, 0}};
  source.compute = {whole, nothing, whole, nothing};
  target.compute = {nothing, whole, nothing, whole};
  Placement from = *place(source, shape), to = *place(target, shape);
  RedistributionPlan apart = *planRedistribution(from, to, {}, {}, Machines{2});
  EXPECT_EQ(apart.transfers,
            (std::vector<Transfer>{{0, {1}, whole}, {2, {3}, whole}}));
  EXPECT_EQ(apart.betweenMachines, (Bounded{0, 0}));
  EXPECT_EQ(apart.injected, (Bounded{64, 64}));
  // On one machine half of it leaves each tile, for both.
  RedistributionPlan together = *planRedistribution(from, to);
  EXPECT_EQ(together.injected, (Bounded{32, 32}));
  EXPECT_EQ(together.maxTileSent, (Bounded{16, 16}));
  EXPECT_EQ(together.betweenMachines, (Bounded{0, 0}));
}

// Rows of four tiles go everywhere: half of the tensor crosses each way, once.
TEST(Machines, MulticastCrossesOnce) {
  Extents shape{8, 4};
  Placement rows = *place(split({4, 1}), shape),
            all = *place(duplicated(4), shape);
  RedistributionPlan plan = *planRedistribution(rows, all, {}, {}, Machines{2});
  EXPECT_EQ(plan.betweenMachines, (Bounded{32, 32}));
  EXPECT_EQ(plan.received, (Bounded{96, 96}));
  EXPECT_EQ(plan.injected, (Bounded{64, 64}));
  EXPECT_EQ(plan.transfers.size(), 8u);
  EXPECT_EQ(planLoad(all, {}, Machines{2})->betweenMachines, (Bounded{32, 32}));
  EXPECT_EQ(planStore(rows, {}, {}, Machines{2})->betweenMachines,
            (Bounded{16, 16}));
  // DDR is the first machine's, and so are those that send to it.
  EXPECT_EQ(planStore(all, {}, {}, Machines{2})->betweenMachines,
            (Bounded{0, 0}));
}

// The last machine may have fewer tiles, and one machine may have all.
TEST(Machines, UnevenAndAlone) {
  Extents shape{6};
  Placement rows = *place(split({3}), shape),
            all = *place(duplicated(3), shape);
  EXPECT_EQ(planRedistribution(rows, all, {}, {}, Machines{2})->betweenMachines,
            (Bounded{6, 6}));
  RedistributionPlan alone =
      *planRedistribution(rows, all, {}, {}, Machines{8});
  EXPECT_EQ(alone.betweenMachines, (Bounded{0, 0}));
  EXPECT_EQ(alone.transfers, planRedistribution(rows, all)->transfers);
}

// What is said to be plannable is, also where machines make more pieces of it.
TEST(Machines, SurelyPlannable) {
  Extents shape{1024, 1024};
  Placement rows = *place(split({1024, 1}), shape),
            columns = *place(split({1, 1024}), shape);
  const Placement *sides[] = {&rows, &columns};
  EXPECT_FALSE(isSurelyPlannable(sides, Machines{64}));
  Placement all = *place(duplicated(64), {256});
  Placement parts = *place(split({64}), {256});
  const Placement *few[] = {&parts, &all};
  EXPECT_TRUE(isSurelyPlannable(few, Machines{8}));
  EXPECT_EQ(
      planRedistribution(parts, all, {}, {}, Machines{8})->betweenMachines,
      (Bounded{7 * 256, 7 * 256}));
}

} // namespace
} // namespace npu
