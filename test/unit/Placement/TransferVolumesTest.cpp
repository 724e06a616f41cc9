// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What transfers move is known of grids without a plan. The plan is the oracle:
// nothing may differ, whatever the grids, or costs would not be those of what
// runs.

#include "npu/Placement/Plans/TransferVolumes.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

#include "../../../lib/Placement/Plans/GridVolumes.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// The number of transfers in a list.
int64_t countOf(const Volumes &volumes) {
  int64_t count = 0;
  for (const EqualTransfers &each : volumes)
    count += each.count;
  return count;
}

/// The volumes of the plan itself; null pointers are the DDR.
std::optional<TransferVolumes> planned(const Placement *source,
                                       const Placement *target,
                                       std::span<const PaddedRange> padding) {
  Result<RedistributionPlan> plan =
      !source   ? planLoad(*target, padding)
      : !target ? planStore(*source, padding)
                : planRedistribution(*source, *target, padding);
  if (!plan)
    return std::nullopt;
  std::size_t tiles = std::max(source ? source->tiles.size() : 0,
                               target ? target->tiles.size() : 0);
  TransferVolumes volumes = volumesOf(*plan, tiles);
  EXPECT_EQ(volumes.elementsMoved(), plan->received.value + plan->ddr);
  return volumes;
}

/// A split of any dimensions, at times with several holders of each box.
Distribution randomGrid(RandomPlacements &random, const Extents &shape,
                        int64_t maxTiles, bool severalHolders) {
  Distribution grid;
  int64_t room = maxTiles;
  if (severalHolders)
    room /= grid.copies = random.between(1, 3);
  grid.tiles = Extents(shape.size(), 1);
  for (int64_t dim : random.permutation(shape.size()))
    room /= grid.tiles[dim] = random.between(1, room);
  for (int64_t dim : random.permutation(shape.size()))
    if (grid.tiles[dim] > 1)
      grid.major.push_back(dim);
  grid.split = random.oneIn(2) ? Split::Balanced : Split::Ceil;
  if (random.oneIn(3))
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      grid.align.push_back(random.between(1, 4));
  normalize(grid);
  return grid;
}

Extents randomShape(RandomPlacements &random) {
  Extents shape;
  for (int64_t rank = random.between(1, 4); rank > 0; --rank)
    shape.push_back(random.between(1, 12));
  return shape;
}

void expectSame(const Result<TransferVolumes> &volumes,
                const std::optional<TransferVolumes> &expected) {
  ASSERT_EQ(bool(volumes), bool(expected));
  if (expected)
    EXPECT_EQ(*volumes, *expected);
}

TEST(TransferVolumes, OfAnyPlacementsAreThoseOfThePlan) {
  RandomPlacements random(1);
  for (int round = 0; round < 4000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape),
              target = random.placement(shape);
    Padding padding;
    if (random.oneIn(2))
      padding = random.padding(shape);
    expectSame(redistributionVolumes(source, target, padding),
               planned(&source, &target, padding));
    expectSame(loadVolumes(target, padding),
               planned(nullptr, &target, padding));
    expectSame(storeVolumes(source, padding),
               planned(&source, nullptr, padding));
  }
}

TEST(TransferVolumes, OfGridsFollowWithoutThePlan) {
  RandomPlacements random(2);
  int known = 0;
  for (int round = 0; round < 4000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = randomShape(random);
    Placement source = *place(randomGrid(random, shape, 24, false), shape);
    Placement target = *place(randomGrid(random, shape, 24, true), shape);
    for (auto [from, to] :
         {std::pair<const Placement *, const Placement *>(&source, &target),
          {nullptr, &target},
          {&source, nullptr}}) {
      std::optional<Result<TransferVolumes>> volumes =
          volumesBetweenGrids(from, to);
      // Tiles may be left without elements; the others form a grid all the
      // same.
      ASSERT_TRUE(volumes && *volumes);
      EXPECT_EQ(**volumes, planned(from, to, {}));
      known +=
          countOf(from && to ? (*volumes)->sent[0] : (*volumes)->loads) > 0;
    }
  }
  EXPECT_GT(known, 4000);
}

TEST(TransferVolumes, PaddingAtEitherEndDoesNotMove) {
  RandomPlacements random(3);
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = randomShape(random);
    Placement source = *place(randomGrid(random, shape, 12, false), shape);
    Placement target = *place(randomGrid(random, shape, 12, true), shape);
    Padding padding = random.padding(shape);
    expectSame(redistributionVolumes(source, target, padding),
               planned(&source, &target, padding));
  }
}

TEST(TransferVolumes, NumbersThatCanBeCountedByHand) {
  Extents shape{8, 8};
  Distribution rows, columns, all;
  rows.tiles = {2, 1};
  columns.tiles = {1, 2};
  all.mode = Mode::Duplicated;
  all.tileCount = 3;
  Placement byRows = *place(rows, shape), byColumns = *place(columns, shape),
            everywhere = *place(all, shape);
  TransferVolumes toColumns = *redistributionVolumes(byRows, byColumns);
  EXPECT_EQ(toColumns.sent, (std::vector<Volumes>{{{16, 1}}, {{16, 1}}}));
  EXPECT_EQ(toColumns.received, toColumns.sent);
  EXPECT_EQ(toColumns.elementsMoved(), 32);
  // Each sends its half once, and tile 2 gets both.
  TransferVolumes toAll = *redistributionVolumes(byRows, everywhere);
  EXPECT_EQ(toAll.sent, (std::vector<Volumes>{{{32, 1}}, {{32, 1}}, {}}));
  EXPECT_EQ(toAll.received,
            (std::vector<Volumes>{{{32, 1}}, {{32, 1}}, {{32, 2}}}));
  EXPECT_EQ(toAll.elementsMoved(), 128);
  TransferVolumes load = *loadVolumes(everywhere);
  EXPECT_EQ(load.loads, (Volumes{{64, 1}}));
  EXPECT_EQ(load.loaded, std::vector<Volumes>(3, {{64, 1}}));
  EXPECT_EQ(load.elementsMoved(), 64);
  EXPECT_EQ(storeVolumes(byRows)->stores, (Volumes{{32, 2}}));
}

// What is not planned, or has more transfers than a program may have, has no
// volumes either.
TEST(TransferVolumes, ErrorsAreThoseOfThePlan) {
  Extents shape{8192, 8192};
  Distribution rows, columns;
  rows.tiles = {4096, 1};
  columns.tiles = {1, 4096};
  Result<TransferVolumes> volumes =
      redistributionVolumes(*place(rows, shape), *place(columns, shape));
  ASSERT_FALSE(volumes);
  EXPECT_EQ(volumes.error().message,
            "expected at most 1048576 transfers, got 16773120");
  Placement small = *place(rows, {4096, 2});
  EXPECT_FALSE(redistributionVolumes(*place(rows, shape), small));
  // The largest number that a program may have.
  rows.tiles = {1024, 1};
  columns.tiles = {1, 1024};
  volumes = redistributionVolumes(*place(rows, shape), *place(columns, shape));
  ASSERT_TRUE(volumes);
  EXPECT_EQ(volumes->sent, std::vector<Volumes>(1024, {{64, 1023}}));
}

} // namespace
} // namespace npu
