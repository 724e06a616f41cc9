// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures that the documentation states, or that anyone can work out on paper
// for the shapes of one model, recomputed.

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

Distribution split(Extents tiles, Mode mode = Mode::Segmented) {
  Distribution result;
  result.mode = mode;
  result.tiles = tiles;
  return result;
}

RedistributionPlan planOf(const Distribution &from, const Distribution &to,
                          const Extents &shape) {
  return *planRedistribution(*place(from, shape), *place(to, shape));
}

void expectAtBounds(const RedistributionPlan &plan) {
  EXPECT_EQ(plan.received.value, plan.received.bound);
  EXPECT_EQ(plan.maxTileReceived.value, plan.maxTileReceived.bound);
  EXPECT_EQ(plan.injected.value, plan.injected.bound);
  EXPECT_EQ(plan.maxTileSent.value, plan.maxTileSent.bound);
}

const Extents kShape{28, 128, 64}; // heads, rows, head size
constexpr int64_t kTiles[] = {3, 4, 6};

TEST(ModelExamples, HeadsToRows) {
  for (int64_t tiles : kTiles) {
    RedistributionPlan plan =
        planOf(split({tiles, 1, 1}), split({1, tiles, 1}), kShape);
    expectAtBounds(plan);
    // What tile t keeps is its heads of its rows.
    int64_t kept = 0, mostReceived = 0, mostSent = 0;
    std::vector<Range> heads = splitExtent(28, tiles, Split::Balanced);
    std::vector<Range> rows = splitExtent(128, tiles, Split::Balanced);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      int64_t both = heads[tile].extent() * rows[tile].extent() * 64;
      kept += both;
      mostReceived =
          std::max(mostReceived, 28 * rows[tile].extent() * 64 - both);
      mostSent = std::max(mostSent, heads[tile].extent() * 128 * 64 - both);
    }
    EXPECT_EQ(plan.received.value, 28 * 128 * 64 - kept);
    EXPECT_EQ(plan.maxTileReceived.value, mostReceived);
    EXPECT_EQ(plan.maxTileSent.value, mostSent);
    EXPECT_EQ(plan.injected.value, plan.received.value);
  }
}

TEST(ModelExamples, HeadsToWhole) {
  for (int64_t tiles : kTiles) {
    Distribution whole;
    whole.mode = Mode::Duplicated;
    whole.tileCount = tiles;
    RedistributionPlan plan = planOf(split({tiles, 1, 1}), whole, kShape);
    expectAtBounds(plan);
    // Multicast: injected once, received tiles - 1 times.
    EXPECT_EQ(plan.injected.value, 28 * 128 * 64);
    EXPECT_EQ(plan.received.value, (tiles - 1) * 28 * 128 * 64);
    EXPECT_EQ(plan.transfers.size(), std::size_t(tiles));
    EXPECT_TRUE(planOf(whole, split({tiles, 1, 1}), kShape).transfers.empty());
  }
}

TEST(ModelExamples, RowsToRowsWithAHaloOfOne) {
  for (int64_t tiles : kTiles) {
    Distribution halo = split({1, tiles, 1}, Mode::Overlapped);
    halo.windows = {{1, 3, 1, 1, 1, 1}};
    RedistributionPlan plan = planOf(split({1, tiles, 1}), halo, kShape);
    expectAtBounds(plan);
    EXPECT_EQ(plan.received.value, 2 * (tiles - 1) * 28 * 64);
    EXPECT_EQ(plan.maxTileReceived.value, 2 * 28 * 64);
  }
}

TEST(ModelExamples, BalancedAndCeilDiffer) {
  for (int64_t tiles : kTiles) {
    Distribution ceil = split({tiles, 1, 1});
    ceil.split = Split::Ceil;
    RedistributionPlan plan = planOf(split({tiles, 1, 1}), ceil, kShape);
    expectAtBounds(plan);
    // 10, 9, 9 to 10, 10, 8 moves one head; over four tiles 7, 7, 7, 7 is both;
    // 5, 5, 5, 5, 4, 4 to 5, 5, 5, 5, 5, 3 moves one.
    EXPECT_EQ(plan.received.value, tiles == 4 ? 0 : 8192);
  }
}

TEST(ModelExamples, TheFieldFailureIsARelabel) {
  // Prompt lengths 336 and 304, four tiles; the boxes are those of the log.
  for (int64_t length : {336, 304}) {
    Extents inShape{1, 28, length, 128}, outShape{1, 128, 28, length};
    Permutation inDim = castDimensions({}, {}, *parseOrderName("NHWC"));
    EXPECT_EQ(permute(inShape, inDim), outShape);
    Distribution in = split({1, 4, 1, 1}), out;
    out.mode = Mode::Overlapped;
    for (int64_t tile = 0; tile < 4; ++tile)
      out.compute.push_back(
          {{0, 1}, {0, 128}, {7 * tile, 7 * tile + 7}, {0, length}});
    out.memory = out.compute;
    Placement mapped = permute(*place(in, inShape), inDim);
    Placement declared = *place(out, outShape);
    EXPECT_TRUE(sameMemory(mapped, declared));
    EXPECT_TRUE(sameCompute(mapped, declared));
    EXPECT_EQ(elementsMissing(mapped, declared), 0);
    // The canonical forms differ in the word alone.
    Distribution a = canonical(permute(in, inDim), outShape);
    Distribution b = canonical(out, outShape);
    a.mode = b.mode;
    EXPECT_EQ(a, b);
  }
}

TEST(ModelExamples, OtherFieldShapes) {
  // 1x56x56x192 seen as 1x192x56x56 over two tiles (a Swin block).
  Permutation nhwc = *parseOrderName("NHWC");
  Permutation inDim = castDimensions({}, {}, nhwc);
  Extents shape{1, 56, 56, 192};
  EXPECT_EQ(permute(shape, inDim), (Extents{1, 192, 56, 56}));
  EXPECT_EQ(permute(split({1, 2, 1, 1}), inDim), split({1, 1, 2, 1}));
  // 1x256x40x1 NHWC over H becomes 1x40x1x256 NCHW over C.
  inDim = castDimensions(nhwc, {}, {});
  EXPECT_EQ(permute(Extents{1, 256, 40, 1}, inDim), (Extents{1, 40, 1, 256}));
  EXPECT_EQ(permute(split({1, 1, 2, 1}), inDim), split({1, 2, 1, 1}));
}

TEST(ModelExamples, AUserMakesUseOfReplicas) {
  // Two halves, each on two tiles, become four quarters: each tile holds its
  // half already.
  Distribution halves = split({2});
  halves.copies = 2;
  EXPECT_TRUE(planOf(halves, split({4}), {8}).transfers.empty());
  // The other way, everyone fetches a quarter.
  RedistributionPlan plan = planOf(split({4}), halves, {8});
  expectAtBounds(plan);
  EXPECT_EQ(plan.received.value, 8);
  EXPECT_EQ(plan.maxTileSent.value, 2);
}

} // namespace
} // namespace npu
