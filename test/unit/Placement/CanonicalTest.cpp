// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The field compiler took the implicit and the explicit form of one
// distribution for different ones. The canonical form makes them equal, and
// must never change what they mean.

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// The same placement, written out.
Distribution written(const Distribution &distribution,
                     const Placement &placement) {
  Distribution result;
  result.mode = distribution.mode;
  for (const TileBoxes &boxes : placement.tiles) {
    result.compute.push_back(boxes.compute);
    result.memory.push_back(boxes.memory);
  }
  return result;
}

TEST(Canonical, KeepsModeAndPlacement) {
  RandomPlacements random(1);
  for (int round = 0; round < 8000; ++round) {
    Extents shape = random.shape();
    Result<> error = checkForms(random.distribution(shape), shape);
    ASSERT_TRUE(error) << error.error().message;
  }
}

TEST(Canonical, ImplicitAndExplicitFormAreOne) {
  RandomPlacements random(2);
  for (int round = 0; round < 3000; ++round) {
    Extents shape{random.between(8, 40), random.between(8, 40)};
    Distribution distribution;
    distribution.mode =
        random.oneIn(2) ? Mode::Segmented : Mode::SegmentedDuplicated;
    distribution.tiles = {random.between(1, 3), random.between(2, 3)};
    distribution.copies = random.between(1, 2);
    if (distribution.tiles[0] > 1 && random.oneIn(2))
      distribution.major = {1, 0};
    Placement placement = *place(distribution, shape);
    ASSERT_EQ(canonical(written(distribution, placement), shape),
              canonical(distribution, shape));
  }
}

TEST(Canonical, LeavesOutWhatHasNoEffect) {
  Distribution distribution;
  distribution.mode = Mode::Overlapped;
  distribution.tiles = {1, 4};
  distribution.align = {16, 2};
  distribution.windows = {{0, 3, 1, 1, 1, 1}, {1, 1, 1, 0, 0, 1}};
  Distribution expected;
  expected.mode = Mode::Overlapped;
  expected.tiles = {1, 4};
  EXPECT_EQ(canonical(distribution, {9, 16}), expected);
  // Where the alignment matters, it stays.
  expected.align = {1, 2};
  EXPECT_EQ(canonical(distribution, {9, 10}).align, expected.align);

  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tiles = {2, 1};
  whole.copies = 3;
  whole.align = {4, 1};
  Distribution one;
  one.mode = Mode::Duplicated;
  one.tileCount = 6;
  EXPECT_EQ(canonical(whole, {8, 8}), one);

  // Memory boxes that are the compute boxes, and compute boxes that are a grid.
  Distribution boxes;
  boxes.compute = boxes.memory = {Box{{0, 4}}, Box{{4, 8}}};
  Distribution grid;
  grid.tiles = {2};
  EXPECT_EQ(canonical(boxes, {8}), grid);
  boxes.mode = Mode::Overlapped;
  boxes.memory[0] = Box{{0, 6}};
  grid.mode = Mode::Overlapped;
  grid.memory = boxes.memory;
  EXPECT_EQ(canonical(boxes, {8}), grid);
  // What cannot be placed at that shape is only put in order.
  EXPECT_EQ(canonical(boxes, {9}), boxes);
}

} // namespace
} // namespace npu
