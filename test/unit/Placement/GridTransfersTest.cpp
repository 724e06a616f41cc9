// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between grids, transfers follow one from the other. Who compares every box
// with every other one finds the same, in the same order.

#include "Layouts.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace npu {
namespace {

bool isBefore(const Box &a, const Box &b) {
  return std::ranges::lexicographical_compare(a, b, {}, &Range::begin,
                                              &Range::begin);
}

/// The boxes that tiles need, each once, in their order.
std::vector<Box> boxesOf(const Placement &placement) {
  std::vector<Box> boxes;
  for (const TileBoxes &tile : placement.tiles)
    if (!tile.memory.isEmpty() &&
        std::ranges::find(boxes, tile.memory) == boxes.end())
      boxes.push_back(tile.memory);
  std::ranges::sort(boxes, isBefore);
  return boxes;
}

std::vector<Transfer> allPairs(const Placement &source, const Placement &target,
                               Machines machines) {
  std::vector<Transfer> transfers;
  for (int from = 0; from < static_cast<int>(source.tiles.size()); ++from)
    for (const Box &wanted : boxesOf(target)) {
      Box common = intersect(source.memoryOf(from), wanted);
      if (common.isEmpty())
        continue;
      int64_t last = -1;
      for (int to = 0; to < static_cast<int>(target.tiles.size()); ++to) {
        if (to == from || target.memoryOf(to) != wanted)
          continue;
        if (machines.of(to) != last)
          transfers.push_back({from, {}, common});
        last = machines.of(to);
        transfers.back().to.push_back(to);
      }
    }
  return transfers;
}

TEST(GridTransfers, AreThoseOfAllPairs) {
  RandomPlacements random(7);
  int moving = 0, multicast = 0, emptyBoxes = 0;
  for (int round = 0; round < 3000 && !testing::Test::HasFailure(); ++round) {
    Extents shape{random.between(1, 12), random.between(1, 9),
                  random.between(1, 3)};
    auto grid = [&](int64_t copies) {
      Distribution result = split(
          {random.between(1, 4), random.between(1, 3), random.between(1, 2)},
          copies);
      return *place(random.oneIn(3) ? ceil(result) : result, shape);
    };
    Placement source = grid(1), target = grid(random.between(1, 3));
    Machines machines{random.between(0, 5)};
    RedistributionPlan plan =
        *planRedistribution(source, target, {}, {}, machines);
    ASSERT_EQ(plan.transfers.list(), allPairs(source, target, machines))
        << toString(shape) << " on machines of " << machines.tilesEach;
    moving += !plan.transfers.empty();
    multicast += plan.received.value > plan.injected.value;
    emptyBoxes += std::ranges::any_of(source.tiles, [](const TileBoxes &tile) {
      return tile.memory.isEmpty();
    });
  }
  EXPECT_GT(moving, 2000);
  EXPECT_GT(multicast, 500);
  EXPECT_GT(emptyBoxes, 100);
}

// Padding before the real entries moves boxes, and keeps their sizes.
TEST(GridTransfers, AfterPadding) {
  Extents shape{8, 4};
  Placement rows = *place(split({2, 1}), shape),
            columns = *place(split({1, 2}), shape);
  Padding padding{{0, {0, 3}}};
  RedistributionPlan plan = *planRedistribution(rows, columns, padding);
  EXPECT_EQ(plan.transfers,
            (std::vector<Transfer>{{0, {1}, Box{{3, 4}, {2, 4}}},
                                   {1, {0}, Box{{4, 8}, {0, 2}}}}));
}

} // namespace
} // namespace npu
