// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes that a pass has computed are shown to people as the shortest text that
// means them. That text must mean exactly them, and be short where a short
// form exists.

#include "Elements.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

std::vector<Box> memoryOf(const Placement &placement) {
  std::vector<Box> boxes;
  for (const TileBoxes &tile : placement.tiles)
    boxes.push_back(tile.memory);
  return boxes;
}

std::vector<Box> computeOf(const Placement &placement) {
  std::vector<Box> boxes;
  for (const TileBoxes &tile : placement.tiles)
    boxes.push_back(tile.compute);
  return boxes;
}

TEST(Describe, MeansExactlyTheBoxes) {
  RandomPlacements random(1);
  for (int round = 0; round < 8000; ++round) {
    Extents shape = random.shape();
    Distribution origin = random.distribution(shape);
    Placement placement = *place(origin, shape);
    std::vector<Box> memory = memoryOf(placement);
    std::vector<Box> compute = computeOf(placement);

    Distribution both = describe(shape, memory, &compute, origin.windows);
    Result<Placement> again = place(both, shape);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_TRUE(sameMemory(*again, placement));
    ASSERT_TRUE(sameCompute(*again, placement));
    ASSERT_EQ(again->tiles.size(), placement.tiles.size());

    Elements covered(elementCount(shape));
    for (const Box &box : memory) {
      Elements part = elementsOf(box, shape);
      for (std::size_t i = 0; i < part.size(); ++i)
        covered[i] = covered[i] || part[i];
    }
    Distribution free = describe(shape, memory, nullptr, origin.windows);
    again = place(free, shape);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_TRUE(sameMemory(*again, placement));
  }
}

/// A grid, with its numbers large enough that every tile holds something.
Distribution randomGrid(RandomPlacements &random, Extents &shape) {
  Distribution result;
  std::size_t rank = random.between(1, 4);
  shape = Extents(rank, 0);
  for (int64_t &extent : shape)
    extent = random.between(6, 40);
  result.tiles = Extents(rank, 1);
  int64_t room = 8;
  for (int64_t dim : random.permutation(rank)) {
    result.tiles[dim] = random.between(1, room);
    room /= result.tiles[dim];
  }
  if (random.oneIn(2))
    for (int64_t dim : random.permutation(rank))
      if (result.tiles[dim] > 1)
        result.major.push_back(dim);
  if (random.oneIn(2))
    result.copies = random.between(1, room);
  normalize(result);
  return result;
}

TEST(Describe, FindsGrids) {
  RandomPlacements random(2);
  for (int round = 0; round < 4000; ++round) {
    Extents shape;
    Distribution origin = randomGrid(random, shape);
    if (tileCount(origin) == origin.copies)
      continue; // whole tensors: DUPLICATED is shorter
    Placement placement = *place(origin, shape);
    Distribution found = describe(shape, memoryOf(placement));
    EXPECT_EQ(found, origin);
    std::vector<Box> compute = computeOf(placement);
    EXPECT_EQ(describe(shape, memoryOf(placement), &compute), origin);

    origin.mode = Mode::SegmentedDuplicated;
    placement = *place(origin, shape);
    EXPECT_EQ(describe(shape, memoryOf(placement), &compute), origin);
  }
}

TEST(Describe, FindsWindowsAmongHints) {
  RandomPlacements random(3);
  int found = 0, rounds = 0;
  for (int round = 0; round < 3000; ++round) {
    Extents shape;
    Distribution origin = randomGrid(random, shape);
    if (tileCount(origin) == origin.copies)
      continue;
    origin.mode = Mode::Overlapped;
    std::vector<Window> hints;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      Window window{int64_t(dim), random.between(2, 5), 1, 1, 1, 1};
      hints.push_back({int64_t(dim), 2, 2, 0, 0, 1});
      hints.push_back(window);
      if (origin.tiles[dim] > 1)
        origin.windows.push_back(window);
    }
    Placement placement = *place(origin, shape);
    std::vector<Box> memory = memoryOf(placement);
    std::vector<Box> compute = computeOf(placement);
    Distribution described = describe(shape, memory, &compute, hints);
    ++rounds;
    EXPECT_TRUE(described.memory.empty() && described.compute.empty());
    EXPECT_EQ(described.tiles, origin.tiles);
    // Free compute boxes, too, as far as memory boxes show the grid.
    Distribution free = describe(shape, memory, nullptr, hints);
    found += free.memory.empty() && free.compute.empty();
  }
  EXPECT_GT(found, rounds * 9 / 10) << "of " << rounds;
}

TEST(Describe, PrefersTheShorter) {
  Box whole{{0, 8}}, low{{0, 4}}, high{{4, 8}};
  Distribution result = describe({8}, {whole, whole, whole});
  EXPECT_EQ(result.mode, Mode::Duplicated);
  EXPECT_EQ(result.tileCount, 3);

  // 10, 10, 8 is only the ceil split; 10, 9, 9 the balanced one.
  result = describe({28}, {Box{{0, 10}}, Box{{10, 20}}, Box{{20, 28}}});
  EXPECT_EQ(result.tiles, (Extents{3}));
  EXPECT_EQ(result.split, Split::Ceil);
  // With an alignment where nothing else explains the borders.
  result = describe(
      {80}, {Box{{0, 32}}, Box{{32, 48}}, Box{{48, 64}}, Box{{64, 80}}});
  EXPECT_EQ(result.align, (Extents{16}));

  // A split along a dimension of extent 1 leaves tiles empty.
  result = describe({1, 8}, {Box{{0, 1}, {0, 4}}, Box{{0, 1}, {4, 8}},
                             Box{{1, 1}, {0, 4}}, Box{{1, 1}, {4, 8}}});
  EXPECT_EQ(result.tiles, (Extents{2, 2}));

  // Replicas that are not side by side have no short form.
  std::vector<Box> replicas{low, high, low, high};
  result = describe({8}, replicas);
  EXPECT_EQ(result.mode, Mode::Segmented);
  EXPECT_EQ(result.compute, replicas);

  std::vector<Box> halo{Box{{0, 5}}, Box{{3, 8}}};
  result = describe({8}, halo);
  EXPECT_EQ(result.mode, Mode::Overlapped);
  EXPECT_EQ(result.compute, halo);
  std::vector<Box> compute{low, high};
  result = describe({8}, halo, &compute);
  EXPECT_EQ(result.mode, Mode::Overlapped);
  EXPECT_EQ(result.tiles, (Extents{2}));
  EXPECT_EQ(result.memory, halo);
}

} // namespace
} // namespace npu
