// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices have thousands of cores elsewhere. At the largest number of tiles
// nothing here may take quadratic time or memory in them, and what cannot be
// planned must be refused soon.

#include "Layouts.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace npu {
namespace {

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
  RedistributionPlan plan = *planRedistribution(
      *place(split({4096, 1}), shape), *place(duplicated(4096), shape));
  expectAtBounds(plan);
  EXPECT_EQ(plan.transfers.size(), 4096u);
  EXPECT_EQ(plan.transfers[0].to.size(), 4095u);
}

TEST(ManyTiles, BalancedToCeil) {
  Extents shape{28 * 4096 + 77, 5};
  expectAtBounds(*planRedistribution(*place(split({4096, 1}), shape),
                                     *place(ceil(split({4096, 1})), shape)));
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
      *place(duplicated(2048), shape), *place(split({4096, 1}), shape));
  expectAtBounds(plan);
  EXPECT_EQ(plan.transfers.size(), 2048u);
}

bool comesBefore(const Transfer &a, const Transfer &b) {
  if (a.from != b.from)
    return a.from < b.from;
  for (std::size_t dim = 0; dim < a.box.rank(); ++dim)
    if (a.box[dim].begin != b.box[dim].begin)
      return a.box[dim].begin < b.box[dim].begin;
  return a.to.back() < b.to.front();
}

/// Goes through transfers, which are in their order, and gives what they bring
/// to all tiles together. Asserting of each of millions would take long.
int64_t receivedInOrder(const Transfers &transfers) {
  int64_t received = 0;
  std::size_t count = 0;
  bool isOrdered = true, sendsToItself = false;
  Transfer last;
  last.from = -1;
  for (const Transfer &each : transfers) {
    ++count;
    isOrdered = isOrdered && comesBefore(last, each);
    sendsToItself |= std::ranges::binary_search(each.to, each.from);
    received += each.box.volume() * static_cast<int64_t>(each.to.size());
    last = each;
  }
  EXPECT_TRUE(isOrdered);
  EXPECT_FALSE(sendsToItself);
  EXPECT_EQ(count, transfers.size());
  return received;
}

/// Millions of transfers are no list, and planned all the same. No program can
/// have so many.
TEST(ManyTiles, MillionsOfTransfers) {
  Extents shape{4096, 4096};
  Placement rows = *place(split({4096, 1}), shape),
            columns = *place(split({1, 4096}), shape),
            all = *place(duplicated(4096), shape);
  RedistributionPlan transposed = *planRedistribution(rows, columns);
  expectAtBounds(transposed);
  EXPECT_EQ(transposed.transfers.size(), 4096u * 4095u);
  EXPECT_FALSE(transposed.transfers.areListed());
  EXPECT_EQ(receivedInOrder(transposed.transfers), transposed.received.value);
  EXPECT_EQ(checkFewTransfers(transposed).error().message,
            "expected at most 1048576 transfers, got 16773120");
  // Each row goes once to each of 512 machines.
  RedistributionPlan copied =
      *planRedistribution(rows, all, {}, {}, Machines{8});
  expectAtBounds(copied);
  EXPECT_EQ(copied.transfers.size(), 4096u * 512u);
  EXPECT_EQ(copied.betweenMachines,
            (Bounded{4096 * 4096 * 511L, 4096 * 4096 * 511L}));
  EXPECT_EQ(receivedInOrder(copied.transfers), copied.received.value);
  // Half as long on both sides, it is a list.
  Placement half = *place(split({512, 1}), shape);
  RedistributionPlan plan =
      *planRedistribution(half, *place(split({1, 512}), shape));
  expectAtBounds(plan);
  EXPECT_EQ(plan.transfers.size(), 512u * 511u);
  EXPECT_TRUE(checkFewTransfers(plan));
  EXPECT_EQ(receivedInOrder(plan.transfers), plan.received.value);
}

/// Where a sender has to be chosen, all pieces are looked for, and refused soon
/// where they are too many.
TEST(ManyTiles, TooManyPiecesAreRefused) {
  Extents shape{8192, 8192};
  EXPECT_EQ(planRedistribution(*place(split({2048, 1}, 2), shape),
                               *place(split({1, 4096}), shape))
                .error()
                .message,
            "expected at most 1048576 pieces to move, got more");
  // So many rows, on two machines each, for as many machines.
  EXPECT_EQ(planRedistribution(*place(split({2048, 1}, 2), shape),
                               *place(duplicated(4096), shape), {}, {},
                               Machines{1})
                .error()
                .message,
            "expected at most 1048576 pieces to move, got 8384512");
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
  EXPECT_TRUE(isSure(duplicated(1024), split({4096, 1})));
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
  Placement target = *place(ceil(split({4095})), shape);
  expectAtBounds(*planRedistribution(source, target));
  expectAtBounds(*planRedistribution(*place(duplicated(2), {INT64_MAX / 4}),
                                     *place(duplicated(4), {INT64_MAX / 4})));
}

} // namespace
} // namespace npu
