// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permute_cast must carry distributions the way it carries elements, in
// every mode and form: placing the image must give the image of the placement,
// and going there and back must change nothing.

#include "Elements.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(Cast, ImageOfThePlacementIsThePlacementOfTheImage) {
  RandomPlacements random(1);
  for (int round = 0; round < 10000; ++round) {
    Extents shape = random.shape();
    Distribution distribution = random.distribution(shape);
    Permutation inDim = random.permutation(shape.size());
    Distribution image = permute(distribution, inDim);
    ASSERT_TRUE(checkDistribution(image));

    Placement placement = *place(distribution, shape);
    Result<Placement> placed = place(image, permute(shape, inDim));
    ASSERT_TRUE(placed) << placed.error().message;
    Placement mapped = permute(placement, inDim);
    ASSERT_EQ(mapped.shape, placed->shape);
    ASSERT_EQ(mapped.tiles.size(), placed->tiles.size());
    for (std::size_t tile = 0; tile < mapped.tiles.size(); ++tile)
      ASSERT_EQ(mapped.tiles[tile], placed->tiles[tile]) << "tile " << tile;

    // A short form stays short.
    ASSERT_EQ(image.compute.size(), distribution.compute.size());
    ASSERT_EQ(image.memory.size(), distribution.memory.size());
    ASSERT_EQ(image.windows.size(), distribution.windows.size());
  }
}

TEST(Cast, ThereAndBackIsTheIdentity) {
  RandomPlacements random(2);
  for (int round = 0; round < 10000; ++round) {
    Extents shape = random.shape();
    Distribution distribution = random.distribution(shape);
    Permutation inDim = random.permutation(shape.size());
    ASSERT_EQ(permute(permute(distribution, inDim), inverse(inDim)),
              distribution);
  }
}

TEST(Cast, ElementsStayOnTheirTiles) {
  RandomPlacements random(3);
  for (int round = 0; round < 300; ++round) {
    Extents shape = random.shape();
    Placement placement = random.placement(shape);
    Permutation inDim = random.permutation(shape.size());
    Placement image = permute(placement, inDim);
    for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile) {
      Elements before = elementsOf(placement.tiles[tile].memory, shape);
      const Box &after = image.tiles[tile].memory;
      forEachElement(shape, [&](std::size_t number, const Extents &index) {
        Box element;
        for (int64_t dim : inDim)
          element.push_back({index[dim], index[dim] + 1});
        ASSERT_EQ(after.contains(element), bool(before[number]));
      });
    }
  }
}

TEST(Cast, MajorKeepsTheNumbersOfTheTiles) {
  Distribution distribution;
  distribution.tiles = {1, 2, 3, 1};
  Permutation inDim = castDimensions({}, {}, {0, 3, 2, 1}); // swaps 1 and 3
  Distribution image = permute(distribution, inDim);
  EXPECT_EQ(image.tiles, (Extents{1, 1, 3, 2}));
  EXPECT_EQ(image.major, (Permutation{3, 2}));
  EXPECT_TRUE(permute(image, inDim).major.empty());
}

} // namespace
} // namespace npu
