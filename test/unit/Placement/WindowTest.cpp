// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Off-by-one errors in windows show as wrong pixels at tile borders. What
// `place` says a tile holds is compared here with listing, output by output,
// the inputs that a windowed op reads.

#include "Elements.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

#include <set>

namespace npu {
namespace {

/// Outputs counted by trying: an output exists when its whole window lies in
/// the padded input.
int64_t countOutputs(const Window &window, int64_t extent) {
  int64_t count = 0;
  while (count * window.stride + (window.kernel - 1) * window.dilation <
         extent + window.padLo + window.padHi)
    ++count;
  return count;
}

/// Every input from the first to the last that a tile's share of the outputs
/// reads, whether or not a stride or a dilation steps over it.
std::set<int64_t> inputsRead(const Window &window, int64_t extent,
                             Range outputs) {
  std::set<int64_t> taps, inputs;
  for (int64_t out = outputs.begin; out < outputs.end; ++out)
    for (int64_t tap = 0; tap < window.kernel; ++tap)
      taps.insert(out * window.stride - window.padLo + tap * window.dilation);
  if (!taps.empty())
    for (int64_t in = *taps.begin(); in <= *taps.rbegin(); ++in)
      if (in >= 0 && in < extent)
        inputs.insert(in);
  return inputs;
}

/// The smallest range that holds what is computed and what is read.
Range rangeHeld(Range computed, const std::set<int64_t> &inputs) {
  if (inputs.empty())
    return computed;
  return hull(computed, {*inputs.begin(), *inputs.rbegin() + 1});
}

TEST(Window, CountsOutputs) {
  for (int64_t extent = 0; extent < 20; ++extent)
    for (int64_t kernel = 1; kernel < 6; ++kernel)
      for (int64_t stride = 1; stride < 4; ++stride)
        for (int64_t pad = 0; pad < 4; ++pad)
          for (int64_t dilation = 1; dilation < 4; ++dilation) {
            Window window{0, kernel, stride, pad, pad / 2, dilation};
            ASSERT_EQ(windowOutputs(window, extent),
                      countOutputs(window, extent));
          }
}

TEST(Window, OneReaderAgreesWithReading) {
  RandomPlacements random(1);
  for (int round = 0; round < 20000; ++round) {
    int64_t extent = random.between(1, 30), tiles = random.between(1, 6);
    Window window{1,
                  random.between(1, 7),
                  random.between(1, 4),
                  random.below(5),
                  random.below(5),
                  random.between(1, 3)};
    Distribution distribution;
    distribution.mode = Mode::Overlapped;
    distribution.tiles = {1, tiles};
    distribution.split = random.oneIn(2) ? Split::Balanced : Split::Ceil;
    distribution.align = {1, random.between(1, 4)};
    distribution.windows = {window};
    Placement placement = *place(distribution, {2, extent});
    std::vector<Range> computed =
        splitExtent(extent, tiles, distribution.split, distribution.align[1]);
    std::vector<Range> outputs =
        splitExtent(countOutputs(window, extent), tiles, distribution.split);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      Range held = tiles == 1
                       ? Range{0, extent}
                       : rangeHeld(computed[tile],
                                   inputsRead(window, extent, outputs[tile]));
      ASSERT_EQ(placement.tiles[tile].compute, (Box{{0, 2}, computed[tile]}));
      ASSERT_EQ(placement.tiles[tile].memory, (Box{{0, 2}, held}));
    }
  }
}

TEST(Window, SeveralReadersShareOneHullWithoutTheSmallOnes) {
  RandomPlacements random(2);
  for (int round = 0; round < 5000; ++round) {
    int64_t extent = random.between(1, 30), tiles = random.between(2, 6);
    Distribution distribution;
    distribution.mode = Mode::Overlapped;
    distribution.tiles = {tiles};
    for (int i = 0; i < 3; ++i)
      distribution.windows.push_back({0, random.between(1, 7),
                                      random.between(1, 4), random.below(4),
                                      random.below(4), 1});
    normalize(distribution);
    Placement placement = *place(distribution, {extent});
    for (int64_t tile = 0; tile < tiles; ++tile) {
      Range held = splitExtent(extent, tiles, Split::Balanced)[tile];
      for (const Window &window : distribution.windows) {
        int64_t count = countOutputs(window, extent);
        if (distribution.windows.size() > 1 && count < tiles)
          continue;
        held = rangeHeld(
            held, inputsRead(window, extent,
                             splitExtent(count, tiles, Split::Balanced)[tile]));
      }
      ASSERT_EQ(placement.tiles[tile].memory, Box{held});
    }
  }
}

TEST(Window, TheSameReaderTwiceIsOneReader) {
  // 2 outputs for 3 tiles: left out only beside another reader.
  Distribution distribution;
  distribution.mode = Mode::Overlapped;
  distribution.tiles = {3};
  Window small{0, 8, 1, 0, 0, 1};
  distribution.windows = {small, small};
  ASSERT_EQ(windowOutputs(small, 9), 2);
  EXPECT_EQ(place(distribution, {9})->tiles[0].memory, (Box{{0, 8}}));
  distribution.windows = {small, {0, 1, 1, 0, 0, 1}};
  EXPECT_EQ(place(distribution, {9})->tiles[0].memory, (Box{{0, 3}}));
}

TEST(Window, DimensionsAreIndependent) {
  Distribution distribution;
  distribution.mode = Mode::Overlapped;
  distribution.tiles = {2, 2, 1};
  distribution.windows = {
      {0, 3, 1, 1, 1, 1}, {1, 5, 1, 2, 2, 1}, {2, 3, 1, 1, 1, 1}};
  Placement placement = *place(distribution, {8, 8, 8});
  EXPECT_EQ(placement.tiles[0].memory, (Box{{0, 5}, {0, 6}, {0, 8}}));
  EXPECT_EQ(placement.tiles[3].memory, (Box{{3, 8}, {2, 8}, {0, 8}}));
  EXPECT_EQ(placement.tiles[3].compute, (Box{{4, 8}, {4, 8}, {0, 8}}));
}

TEST(Window, HugeNumbersStayNumbers) {
  int64_t most = int64_t(1) << 31;
  Distribution distribution;
  distribution.mode = Mode::Overlapped;
  distribution.tiles = {3};
  for (int64_t kernel : {int64_t(1), most})
    for (int64_t stride : {int64_t(1), most})
      for (int64_t pad : {int64_t(0), most})
        for (int64_t dilation : {int64_t(1), most})
          for (int64_t extent : {int64_t(0), int64_t(1), INT64_MAX / 4}) {
            distribution.windows = {{0, kernel, stride, pad, pad, dilation}};
            ASSERT_TRUE(checkDistribution(distribution));
            Result<Placement> placement = place(distribution, {extent});
            ASSERT_TRUE(placement) << placement.error().message;
            for (const TileBoxes &boxes : placement->tiles)
              ASSERT_TRUE(boxes.memory.contains(boxes.compute) &&
                          Box::whole({extent}).contains(boxes.memory));
          }
  EXPECT_EQ(windowOutputs({0, 1, 1, most, most, 1}, INT64_MAX), INT64_MAX);
}

} // namespace
} // namespace npu
