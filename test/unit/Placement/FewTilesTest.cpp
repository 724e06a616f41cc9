// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On few tiles transfers are found without a plan. The plan is the oracle:
// nothing may differ, neither how many there are nor who sends, or costs would
// not be those of what runs.

#include "npu/Placement/Plans/FewTiles.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <tuple>

namespace npu {
namespace {

/// The sender, the receivers, and the elements of each transfer.
using Sizes = std::vector<std::tuple<int, TileMask, int64_t>>;

Sizes sizesOf(const SizedTransfers &transfers) {
  Sizes sizes;
  for (const SizedTransfer &each : transfers)
    sizes.emplace_back(each.from, each.to, each.elements);
  std::ranges::sort(sizes);
  return sizes;
}

Sizes sizesOf(const RedistributionPlan &plan) {
  Sizes sizes;
  for (const Transfer &transfer : plan.transfers) {
    TileMask to = 0;
    for (int tile : transfer.to)
      to |= TileMask(1) << tile;
    sizes.emplace_back(transfer.from, to, transfer.box.volume());
  }
  std::ranges::sort(sizes);
  return sizes;
}

std::optional<SizedTransfers> found(const Placement &source,
                                    const Placement &target) {
  return findTransfers(*TileIntervals::of(source), *TileIntervals::of(target));
}

/// The tiles of a grid on which boxes reach over their borders, as those of
/// convolutions do.
Placement randomWindows(RandomPlacements &random, const Extents &shape) {
  std::vector<TileBoxes> tiles;
  Extents parts(shape.size(), 1);
  int64_t room = 8;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    room /= parts[dim] = random.between(1, std::min<int64_t>(room, shape[dim]));
  Extents before(shape.size()), after(shape.size());
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    before[dim] = random.between(0, 2);
    after[dim] = random.between(0, 2);
  }
  int64_t count = *checkedProduct(parts.span());
  for (int64_t tile = 0; tile < count; ++tile) {
    Box box(shape.size());
    int64_t rest = tile;
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      int64_t place = rest % parts[dim];
      rest /= parts[dim];
      box[dim] = {
          std::max<int64_t>(shape[dim] * place / parts[dim] - before[dim], 0),
          std::min(shape[dim] * (place + 1) / parts[dim] + after[dim],
                   shape[dim])};
    }
    tiles.push_back({box, box});
  }
  return {shape, tiles};
}

Extents randomShape(RandomPlacements &random) {
  Extents shape;
  for (int64_t rank = random.between(1, 3); rank > 0; --rank)
    shape.push_back(random.between(1, 24));
  return shape;
}

TEST(FewTiles, TransfersAreThoseOfThePlan) {
  RandomPlacements random(1);
  int moved = 0;
  for (int round = 0; round < 8000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape),
              target = random.placement(shape);
    std::optional<SizedTransfers> transfers = found(source, target);
    if (!transfers)
      continue;
    Result<RedistributionPlan> plan = planRedistribution(source, target);
    ASSERT_TRUE(bool(plan));
    EXPECT_EQ(sizesOf(*transfers), sizesOf(*plan));
    moved += !transfers->empty();
  }
  EXPECT_GT(moved, 4000);
}

TEST(FewTiles, BoxesThatOverlapAreSentAsThePlanSays) {
  RandomPlacements random(2);
  int moved = 0;
  for (int round = 0; round < 8000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = randomShape(random);
    Placement source = randomWindows(random, shape),
              target = randomWindows(random, shape);
    std::optional<SizedTransfers> transfers = found(source, target);
    if (!transfers)
      continue;
    EXPECT_EQ(sizesOf(*transfers),
              sizesOf(*planRedistribution(source, target)));
    moved += !transfers->empty();
  }
  EXPECT_GT(moved, 4000);
}

TEST(FewTiles, NumbersThatCanBeCountedByHand) {
  Extents shape{8, 8};
  Distribution rows, columns;
  rows.tiles = {2, 1};
  columns.tiles = {1, 2};
  Placement byRows = *place(rows, shape), byColumns = *place(columns, shape);
  EXPECT_EQ(sizesOf(*found(byRows, byColumns)),
            (Sizes{{0, 2, 16}, {1, 1, 16}}));
  EXPECT_TRUE(found(byRows, byRows)->empty());
}

TEST(FewTiles, RefusesWhatItDoesNotKnow) {
  Extents shape{100};
  Distribution many;
  many.tiles = {65};
  EXPECT_FALSE(TileIntervals::of(*place(many, shape)));
  many.tiles = {64};
  EXPECT_TRUE(TileIntervals::of(*place(many, shape)));
  // Nobody has the second half.
  Placement half{{8}, {{Box{{0, 4}}, Box{{0, 4}}}}};
  Placement whole{{8}, {{Box{{0, 8}}, Box{{0, 8}}}}};
  EXPECT_FALSE(found(half, whole));
}

} // namespace
} // namespace npu
