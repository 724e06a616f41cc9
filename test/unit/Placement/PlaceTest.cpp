// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A placement is what every later decision rests on. Random distributions of
// every mode are placed here and checked element by element against what the
// modes mean; what cannot be placed must say why.

#include "Elements.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(Place, CoversTheTensorAndHoldsWhatItComputes) {
  RandomPlacements random(1);
  for (int round = 0; round < 5000; ++round) {
    Extents shape = random.shape();
    Distribution distribution = random.distribution(shape);
    Placement placement = *place(distribution, shape);
    ASSERT_EQ(placement.tiles.size(), std::size_t(tileCount(distribution)));
    Elements covered(elementCount(shape));
    std::vector<Elements> computed;
    for (const TileBoxes &boxes : placement.tiles) {
      Elements compute = elementsOf(boxes.compute, shape);
      Elements memory = elementsOf(boxes.memory, shape);
      ASSERT_EQ(countOf(compute), boxes.compute.volume()) << "outside";
      ASSERT_EQ(countOf(memory), boxes.memory.volume()) << "outside";
      for (std::size_t i = 0; i < compute.size(); ++i) {
        ASSERT_LE(compute[i], memory[i]);
        covered[i] = covered[i] || compute[i];
      }
      computed.push_back(compute);
    }
    ASSERT_EQ(countOf(covered), Box::whole(shape).volume());
    if (!traitsOf(distribution.mode).computesOnce)
      continue;
    for (const Elements &a : computed)
      for (const Elements &b : computed)
        for (std::size_t i = 0; a != b && i < a.size(); ++i)
          ASSERT_FALSE(a[i] && b[i]) << "neither disjoint nor equal";
  }
}

/// Tiles numbered by counting: dimensions slowest first, then copies.
std::vector<Box> countedBoxes(const Distribution &distribution,
                              const Extents &shape) {
  Permutation order = distribution.major;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (std::find(order.begin(), order.end(), int64_t(dim)) == order.end())
      order.push_back(int64_t(dim)); // of those not split the place is free
  std::vector<Box> boxes{Box::whole(shape)};
  for (int64_t dim : order) {
    std::vector<Range> parts =
        splitExtent(shape[dim], distribution.tiles[dim], distribution.split,
                    distribution.align.empty() ? 1 : distribution.align[dim]);
    std::vector<Box> next;
    for (const Box &box : boxes)
      for (Range part : parts) {
        next.push_back(box);
        next.back()[dim] = part;
      }
    boxes = next;
  }
  std::vector<Box> copied;
  for (const Box &box : boxes)
    copied.insert(copied.end(), distribution.copies, box);
  return copied;
}

TEST(Place, FollowsTheModes) {
  RandomPlacements random(2);
  int seen[5] = {};
  for (int round = 0; round < 5000; ++round) {
    Extents shape = random.shape();
    Distribution distribution = random.distribution(shape);
    if (distribution.tiles.empty() || !distribution.compute.empty() ||
        !distribution.windows.empty())
      continue;
    ++seen[static_cast<int>(distribution.mode)];
    Placement placement = *place(distribution, shape);
    std::vector<Box> parts = countedBoxes(distribution, shape);
    ASSERT_EQ(placement.tiles.size(), parts.size());
    for (std::size_t tile = 0; tile < parts.size(); ++tile) {
      bool wholeMemory = distribution.mode != Mode::Segmented &&
                         distribution.mode != Mode::Overlapped;
      Box whole = Box::whole(shape);
      ASSERT_EQ(placement.tiles[tile].compute,
                distribution.mode == Mode::Duplicated ? whole : parts[tile]);
      ASSERT_EQ(placement.tiles[tile].memory,
                wholeMemory ? whole : parts[tile]);
    }
  }
  for (int count : seen)
    EXPECT_GT(count, 100);
}

TEST(Place, TakesExplicitBoxesAsWritten) {
  Distribution boxes;
  boxes.mode = Mode::SegmentedDuplicated;
  boxes.compute = {Box{{0, 5}}, Box{{5, 8}}};
  Placement placement = *place(boxes, {8});
  EXPECT_EQ(placement.tiles[1], (TileBoxes{Box{{5, 8}}, Box{{5, 8}}}));
  boxes.memory = {Box{{0, 6}}, Box{{4, 8}}};
  EXPECT_EQ(place(boxes, {8})->tiles[0], (TileBoxes{Box{{0, 5}}, Box{{0, 6}}}));
  // Memory alone: what is computed is the split.
  boxes.compute.clear();
  boxes.tiles = {2};
  EXPECT_EQ(place(boxes, {8})->tiles[0], (TileBoxes{Box{{0, 4}}, Box{{0, 6}}}));
  // Windows around compute boxes that were written.
  boxes.mode = Mode::Overlapped;
  boxes.memory.clear();
  boxes.compute = {Box{{0, 5}}, Box{{5, 8}}};
  boxes.windows = {{0, 3, 1, 1, 1, 1}};
  EXPECT_EQ(place(boxes, {8})->tiles[0], (TileBoxes{Box{{0, 5}}, Box{{0, 5}}}));
  EXPECT_EQ(place(boxes, {8})->tiles[1], (TileBoxes{Box{{5, 8}}, Box{{3, 8}}}));
}

TEST(Place, TheLabelDecidesWhatMayOverlap) {
  Distribution boxes;
  boxes.compute = {Box{{0, 4}, {0, 2}}, Box{{0, 4}, {2, 4}},
                   Box{{0, 4}, {0, 2}}};
  for (Mode mode : {Mode::Segmented, Mode::Overlapped, Mode::Duplicated,
                    Mode::SegmentedDuplicated, Mode::SegmentedMulticasted}) {
    boxes.mode = mode;
    EXPECT_TRUE(place(boxes, {4, 4})) << "replicas";
  }
  boxes.compute[2] = Box{{0, 4}, {1, 3}};
  for (Mode mode : {Mode::Overlapped, Mode::Duplicated}) {
    boxes.mode = mode;
    EXPECT_TRUE(place(boxes, {4, 4}));
  }
  boxes.mode = Mode::SegmentedMulticasted;
  EXPECT_EQ(place(boxes, {4, 4}).error().message,
            "expected compute boxes that are disjoint or equal under "
            "SEGMENTED|MULTICASTED, got [0:4, 0:2] and [0:4, 1:3]");
}

TEST(Place, SaysWhyNot) {
  Distribution split;
  split.tiles = {1, 4};
  EXPECT_EQ(place(split, {8}).error().message,
            "expected 1 dimensions as shape [8] has, got `tiles` [1, 4]");
  EXPECT_EQ(place(split, {8, -1}).error().message,
            "expected non-negative extents, got shape [8, -1]");
  int64_t half = int64_t(1) << 32;
  EXPECT_EQ(place(split, {half, half}).error().message,
            "expected fewer than 2^63 elements, got shape [4294967296, "
            "4294967296]");
  EXPECT_TRUE(place(split, {half, 0}));
  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 4096;
  EXPECT_EQ(place(whole, {half, half / 4}).error().message,
            "expected fewer than 2^63 elements on all 4096 tiles together, got "
            "shape [4294967296, 1073741824]");
  EXPECT_TRUE(place(whole, {}));
  Distribution boxes;
  boxes.compute = {Box{{0, 4}}, Box{{4, 9}}};
  EXPECT_EQ(place(boxes, {8}).error().message,
            "expected boxes inside [0:8], got compute box [4:9] on tile 1");
  EXPECT_EQ(place(boxes, {10}).error().message,
            "expected compute boxes that cover [0:10], got none that holds "
            "[9:10]");
  boxes.memory = {Box{{0, 4}}, Box{{3, 12}}};
  EXPECT_EQ(place(boxes, {9}).error().message,
            "expected boxes inside [0:9], got memory box [3:12] on tile 1");
  EXPECT_EQ(place(boxes, {9, 1}).error().message,
            "expected 2 dimensions as shape [9, 1] has, got box [0:4]");
  // What needs no shape is said, too.
  EXPECT_EQ(place(Distribution{}, {8}).error().message,
            "expected `tiles` or boxes, got neither");
  Distribution memory;
  memory.tiles = {2};
  memory.memory = {Box{{0, 4}}, Box{{5, 8}}};
  EXPECT_EQ(place(memory, {8}).error().message,
            "expected the memory box of tile 1 to contain its compute box "
            "[4:8], got [5:8]");
}

TEST(Place, TilesBeyondTheLastHoldNothing) {
  Distribution two, four;
  two.tiles = {2};
  four.tiles = {4};
  Placement a = *place(two, {2}), b = *place(four, {2});
  EXPECT_TRUE(sameMemory(a, b));
  EXPECT_TRUE(sameCompute(b, a));
  EXPECT_EQ(firstMemoryDifference(a, b), std::nullopt);
  Placement c = *place(four, {4}), d = *place(two, {4});
  EXPECT_EQ(firstMemoryDifference(c, d), 0u);
  EXPECT_FALSE(memoryContains(d, c));
  EXPECT_EQ(firstNotContained(d, c), 1u);
  EXPECT_TRUE(d.memoryOf(7).isEmpty());
  EXPECT_EQ(maxTileFootprint(d), 2);
  EXPECT_EQ(totalFootprint(d), 4);

  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 2;
  Placement scalar = *place(whole, {});
  whole.tileCount = 3;
  Placement more = *place(whole, {});
  EXPECT_EQ(firstMemoryDifference(scalar, more), 2u);
  EXPECT_TRUE(memoryContains(more, scalar));
  EXPECT_FALSE(memoryContains(scalar, more));
}

} // namespace
} // namespace npu
