// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan is right when running it, element by element, gives every tile what
// it must hold: this file runs plans of random pairs of placements.

#include "Elements.h"
#include "RandomPlacements.h"
#include "npu/Placement/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace npu {
namespace {

std::string describePair(const Placement &source, const Placement &target) {
  std::string text = "shape " + toString(source.shape) + "\n";
  for (const TileBoxes &boxes : source.tiles)
    text += "  source " + toString(boxes.memory) + "\n";
  for (const TileBoxes &boxes : target.tiles)
    text += "  target " + toString(boxes.memory) + "\n";
  return text;
}

void runPlan(const Placement &source, const Placement &target) {
  SCOPED_TRACE(describePair(source, target));
  Result<RedistributionPlan> plan = planRedistribution(source, target);
  ASSERT_TRUE(plan) << plan.error();
  const Extents &shape = source.shape;
  std::size_t tiles = std::max(source.tiles.size(), target.tiles.size());

  std::vector<Elements> before, after, received;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    before.push_back(elementsOf(source.memoryOf(tile), shape));
    after.push_back(elementsOf(target.memoryOf(tile), shape));
    received.emplace_back(elementCount(shape));
  }
  std::vector<int64_t> sent(tiles);
  Elements injected(elementCount(shape));
  for (const Transfer &transfer : plan->transfers) {
    ASSERT_FALSE(transfer.box.isEmpty());
    ASSERT_FALSE(transfer.to.empty());
    ASSERT_TRUE(std::is_sorted(transfer.to.begin(), transfer.to.end()));
    Elements box = elementsOf(transfer.box, shape);
    sent[transfer.from] += countOf(box);
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (!box[i])
        continue;
      ASSERT_TRUE(before[transfer.from][i]) << "sender does not hold it";
      ASSERT_FALSE(injected[i]) << "sent twice";
      injected[i] = true;
      for (int tile : transfer.to) {
        ASSERT_FALSE(before[tile][i]) << "receiver held it already";
        ASSERT_TRUE(after[tile][i]) << "receiver does not want it";
        ASSERT_FALSE(received[tile][i]) << "received twice";
        received[tile][i] = true;
      }
    }
  }

  int64_t total = 0, mostReceived = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    for (std::size_t i = 0; i < after[tile].size(); ++i)
      ASSERT_EQ(after[tile][i] && !before[tile][i], bool(received[tile][i]));
    int64_t count = countOf(received[tile]);
    total += count;
    mostReceived = std::max(mostReceived, count);
  }
  EXPECT_EQ(plan->received, (Bounded{total, total}));
  EXPECT_EQ(plan->maxTileReceived, (Bounded{mostReceived, mostReceived}));
  EXPECT_EQ(plan->injected, (Bounded{countOf(injected), countOf(injected)}));
  EXPECT_EQ(plan->maxTileSent.value,
            *std::max_element(sent.begin(), sent.end()));
  EXPECT_EQ(plan->ddr, 0);
  EXPECT_EQ(elementsMissing(source, target), total);
}

TEST(PlanExecution, MakesEveryRandomTargetFromEveryRandomSource) {
  RandomPlacements random(1);
  for (int round = 0; round < 6000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = random.shape();
    runPlan(random.placement(shape), random.placement(shape));
  }
}

TEST(PlanExecution, IsTheSameEveryTime) {
  RandomPlacements random(2);
  for (int round = 0; round < 200; ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    RedistributionPlan first = *planRedistribution(source, target);
    RedistributionPlan second = *planRedistribution(source, target);
    ASSERT_EQ(first.transfers, second.transfers);
    for (std::size_t i = 1; i < first.transfers.size(); ++i)
      ASSERT_LE(first.transfers[i - 1].from, first.transfers[i].from);
  }
}

TEST(PlanExecution, RefusesWhatItCannotMean) {
  Distribution duplicated;
  duplicated.mode = Mode::Duplicated;
  duplicated.tileCount = 2;
  Placement small = *place(duplicated, {4});
  Placement large = *place(duplicated, {5});
  EXPECT_EQ(planRedistribution(small, large).error(),
            "expected two placements of one shape, got shapes [4] and [5]");
  Placement gap = small;
  gap.tiles[0].memory = gap.tiles[1].memory = Box{{0, 3}};
  EXPECT_EQ(planRedistribution(gap, small).error(),
            "expected every element on some tile, got none that holds [3:4]");
  gap.tiles[0].memory = Box{{0, 9}};
  EXPECT_FALSE(planRedistribution(gap, small));
}

} // namespace
} // namespace npu
