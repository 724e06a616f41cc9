// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every transfer costs a descriptor and a start-up time. A plan must not fall
// apart into more of them than the borders of the boxes and the balance of the
// senders ask for, and no two of them may be one.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

void expectFew(const Transfers &transfers, std::size_t pieces,
               std::size_t tiles) {
  EXPECT_LE(transfers.size(), pieces + tiles);
  for (const Transfer &a : transfers)
    for (const Transfer &b : transfers)
      if (&a != &b && a.from == b.from && a.to == b.to)
        EXPECT_FALSE(joined(a.box, b.box))
            << toString(a.box) << " and " << toString(b.box);
}

/// The placement with nothing in memory.
Placement emptied(Placement placement) {
  for (TileBoxes &boxes : placement.tiles)
    boxes.memory = Box(placement.shape.size());
  return placement;
}

TEST(TransferCount, NoTwoCouldBeOneAndThereAreFew) {
  RandomPlacements random(1);
  for (int round = 0; round < 3000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    std::size_t tiles = std::max(source.tiles.size(), target.tiles.size());
    expectFew(planRedistribution(source, target)->transfers,
              countPieces(source, target), tiles);
    // A load is a redistribution from tiles that hold nothing. A store may
    // split what several tiles hold.
    expectFew(planLoad(target)->transfers, countPieces(emptied(target), target),
              0);
    expectFew(planStore(source)->transfers,
              countPieces(emptied(source), source), source.tiles.size());
  }
}

TEST(TransferCount, NoTwoCouldBeOneAroundHoles) {
  // What tile 0 alone holds is the tensor with holes: many boxes of one class.
  RandomPlacements random(2);
  for (int round = 0; round < 500 && !testing::Test::HasFailure(); ++round) {
    Extents shape{random.between(6, 12), random.between(6, 12),
                  random.between(1, 3)};
    Distribution source, target;
    source.mode = Mode::Overlapped;
    source.compute = {Box::whole(shape)};
    for (int64_t hole = random.between(2, 8); hole > 0; --hole) {
      Box box;
      for (int64_t extent : shape) {
        int64_t begin = random.below(extent);
        box.push_back({begin, random.between(begin + 1, extent)});
      }
      source.compute.push_back(box);
    }
    target.mode = Mode::Overlapped;
    target.compute.assign(source.compute.size() + 1, Box(3));
    target.compute.back() = Box::whole(shape);
    RedistributionPlan plan =
        *planRedistribution(*place(source, shape), *place(target, shape));
    expectFew(plan.transfers, Box::whole(shape).volume(), 0);
  }
}

TEST(TransferCount, ExactBalanceIsNotBoughtWithMoreTransfers) {
  // Three tiles hold each half, and six pieces move. 192 elements per sender
  // would take eight cuts, two more than there are tiles.
  Extents shape{12, 12, 8};
  Distribution source, target;
  source.tiles = {1, 2, 1};
  source.copies = 3;
  for (int64_t tile = 0; tile < 6; ++tile)
    target.compute.push_back(
        {{0, 12}, {0, 12}, splitExtent(8, 3, Split::Balanced)[tile % 3]});
  Placement from = *place(source, shape), to = *place(target, shape);
  RedistributionPlan plan = *planRedistribution(from, to);
  EXPECT_EQ(plan.maxTileSent.bound, 192);
  EXPECT_LT(plan.maxTileSent.value, 192 + 12);
  EXPECT_EQ(countPieces(from, to), 6u);
  expectFew(plan.transfers, 6, 6);
}

Distribution split(Extents tiles, Mode mode = Mode::Segmented) {
  Distribution result;
  result.mode = mode;
  result.tiles = tiles;
  return result;
}

std::size_t transfersOf(const Distribution &from, const Distribution &to,
                        const Extents &shape) {
  return planRedistribution(*place(from, shape), *place(to, shape))
      ->transfers.size();
}

TEST(TransferCount, NumbersThatCanBeCountedByHand) {
  Extents shape{28, 128, 64};
  Distribution whole;
  whole.mode = Mode::Duplicated;
  for (int64_t tiles : {2, 3, 4, 6}) {
    whole.tileCount = tiles;
    Distribution heads = split({tiles, 1, 1}), rows = split({1, tiles, 1});
    // Every tile to every other; one multicast per tile; every neighbour.
    EXPECT_EQ(transfersOf(heads, rows, shape),
              std::size_t(tiles * (tiles - 1)));
    EXPECT_EQ(transfersOf(heads, whole, shape), std::size_t(tiles));
    Distribution halo = split({1, tiles, 1}, Mode::Overlapped);
    halo.windows = {{1, 3, 1, 1, 1, 1}};
    EXPECT_EQ(transfersOf(rows, halo, shape), std::size_t(2 * (tiles - 1)));
    EXPECT_EQ(transfersOf(whole, heads, shape), 0u);
    EXPECT_EQ(planLoad(*place(heads, shape))->transfers.size(),
              std::size_t(tiles));
    EXPECT_EQ(planLoad(*place(whole, shape))->transfers.size(), 1u);
    EXPECT_EQ(planStore(*place(heads, shape))->transfers.size(),
              std::size_t(tiles));
    EXPECT_EQ(planStore(*place(whole, shape))->transfers.size(),
              std::size_t(tiles));
  }
}

} // namespace
} // namespace npu
