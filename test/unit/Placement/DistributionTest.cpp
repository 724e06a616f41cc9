// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people write wrongly must come back as a sentence that names the
// numbers, never as a crash; what they write differently but mean equally must
// become equal.

#include "npu/Placement/Distributions/Distribution.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

Distribution segmented(Extents tiles) {
  Distribution result;
  result.tiles = tiles;
  return result;
}

std::string errorOf(const Distribution &distribution) {
  Result<> failure = checkDistribution(distribution);
  return failure ? "" : failure.error().message;
}

TEST(Distribution, ModesHaveNames) {
  EXPECT_EQ(parseMode("SEGMENTED"), Mode::Segmented);
  EXPECT_EQ(parseMode("OVERLAPPED"), Mode::Overlapped);
  EXPECT_EQ(parseMode("DUPLICATED"), Mode::Duplicated);
  EXPECT_EQ(parseMode("SEGMENTED", "DUPLICATED"), Mode::SegmentedDuplicated);
  EXPECT_EQ(parseMode("DUPLICATED", "SEGMENTED"), Mode::SegmentedDuplicated);
  EXPECT_EQ(parseMode("MULTICASTED", "SEGMENTED"), Mode::SegmentedMulticasted);
  for (auto [first, second] :
       {std::pair("", ""), std::pair("segmented", ""),
        std::pair("MULTICASTED", ""), std::pair("SEGMENTED", "OVERLAPPED"),
        std::pair("DUPLICATED", "MULTICASTED"), std::pair("", "SEGMENTED")})
    EXPECT_EQ(parseMode(first, second), std::nullopt) << first << "|" << second;
  EXPECT_EQ(toString(Mode::SegmentedMulticasted), "SEGMENTED|MULTICASTED");
}

TEST(Distribution, CountsItsTiles) {
  EXPECT_EQ(tileCount(segmented({1, 4, 2})), 8);
  Distribution copied = segmented({1, 3});
  copied.copies = 2;
  EXPECT_EQ(tileCount(copied), 6);
  Distribution whole;
  whole.mode = Mode::Duplicated;
  whole.tileCount = 4;
  EXPECT_EQ(tileCount(whole), 4);
  whole.copies = 3;
  EXPECT_EQ(tileCount(whole), 12);
  EXPECT_EQ(tileCount(segmented({4096, 2})), 0);
  EXPECT_EQ(tileCount(segmented({INT64_MAX, INT64_MAX})), 0);
  EXPECT_EQ(tileCount(Distribution{}), 0);
}

TEST(Distribution, RefusesTileCountsInWords) {
  EXPECT_EQ(errorOf(segmented({1, 4})), "");
  EXPECT_EQ(errorOf({}), "expected `tiles` or boxes, got neither");
  EXPECT_EQ(errorOf(segmented({1, 0})),
            "expected tile counts in 1..4096, got `tiles` [1, 0]");
  EXPECT_EQ(errorOf(segmented({1, 5000})),
            "expected tile counts in 1..4096, got `tiles` [1, 5000]");
  EXPECT_EQ(errorOf(segmented({4096, 4096, 4096, 4096, 4096, 4096})),
            "expected at most 4096 tiles, got `tiles` [4096, 4096, 4096, 4096, "
            "4096, 4096] with `copies` 1");
  Distribution copied = segmented({2, 3});
  for (int64_t copies : {int64_t(-1), int64_t(0), INT64_MAX}) {
    copied.copies = copies;
    EXPECT_EQ(errorOf(copied),
              "expected `copies` in 1..4096, got " + std::to_string(copies));
  }
  copied.copies = 700;
  EXPECT_EQ(
      errorOf(copied),
      "expected at most 4096 tiles, got `tiles` [2, 3] with `copies` 700");
  Distribution single;
  single.tileCount = 4;
  EXPECT_EQ(errorOf(single), "expected tile counts per dimension under "
                             "SEGMENTED, got the single count 4");
  single.mode = Mode::Duplicated;
  EXPECT_EQ(errorOf(single), "");
  single.tileCount = -4;
  EXPECT_EQ(errorOf(single), "expected a tile count in 1..4096, got -4");
  single.tiles = {4};
  EXPECT_EQ(errorOf(single), "expected one of a tile count and tile counts per "
                             "dimension, got both");
}

TEST(Distribution, RefusesMajorAndAlignInWords) {
  Distribution distribution = segmented({2, 1, 3});
  distribution.major = {2, 0};
  EXPECT_EQ(errorOf(distribution), "");
  for (Permutation major : {Permutation{0}, Permutation{0, 1},
                            Permutation{0, 2, 2}, Permutation{2, -1}}) {
    distribution.major = major;
    EXPECT_EQ(errorOf(distribution),
              "expected `major` to list each of the split dimensions [0, 2] "
              "once, got " +
                  toString(major));
  }
  distribution.major.clear();
  distribution.align = {1, 16};
  EXPECT_EQ(errorOf(distribution), "expected `align` to have 3 dimensions as "
                                   "`tiles` has, got 2");
  distribution.align = {1, 16, 0};
  EXPECT_EQ(errorOf(distribution),
            "expected positive alignments, got `align` [1, 16, 0]");
}

TEST(Distribution, RefusesWindowsInWords) {
  Distribution distribution = segmented({1, 4});
  distribution.windows = {{1, 3, 1, 1, 1, 1}};
  EXPECT_EQ(errorOf(distribution), "expected no window under SEGMENTED, only "
                                   "OVERLAPPED has windows");
  distribution.mode = Mode::Overlapped;
  EXPECT_EQ(errorOf(distribution), "");
  distribution.windows[0].dim = 2;
  EXPECT_EQ(errorOf(distribution),
            "expected a window on a dimension in 0..1, got dimension 2");
  distribution.windows[0].dim = -1;
  EXPECT_FALSE(errorOf(distribution).empty());
  int64_t most = int64_t(1) << 31;
  for (int64_t wrong : {int64_t(0), int64_t(-1), most + 1, INT64_MAX}) {
    distribution.windows = {{1, wrong, 1, 1, 1, 1}};
    EXPECT_EQ(errorOf(distribution),
              "expected the kernel of the window on dimension 1 in "
              "1..2147483648, got " +
                  std::to_string(wrong));
    distribution.windows = {{1, 3, wrong, 1, 1, 1}};
    EXPECT_FALSE(errorOf(distribution).empty());
    distribution.windows = {{1, 3, 1, 1, 1, wrong}};
    EXPECT_FALSE(errorOf(distribution).empty());
  }
  for (int64_t wrong : {int64_t(-1), most + 1, INT64_MIN}) {
    distribution.windows = {{1, 3, 1, wrong, 1, 1}};
    EXPECT_EQ(errorOf(distribution),
              "expected the low pad of the window on dimension 1 in "
              "0..2147483648, got " +
                  std::to_string(wrong));
    distribution.windows = {{1, 3, 1, 1, wrong, 1}};
    EXPECT_FALSE(errorOf(distribution).empty());
  }
  distribution.windows = {{1, 3, 1, 1, 1, 1}};
  distribution.memory.assign(4, Box{{0, 1}, {0, 4}});
  EXPECT_EQ(errorOf(distribution),
            "expected windows or memory boxes, got both");
  Distribution boxes;
  boxes.mode = Mode::Overlapped;
  boxes.windows = distribution.windows;
  boxes.compute.assign(4, Box{{0, 1}, {0, 4}});
  EXPECT_EQ(errorOf(boxes), "expected tile counts per dimension beside "
                            "windows, got boxes only");
}

TEST(Distribution, RefusesBoxesInWords) {
  Distribution boxes;
  boxes.compute = {Box{{0, 4}}, Box{{4, 8}}};
  EXPECT_EQ(errorOf(boxes), "");
  boxes.copies = 2;
  EXPECT_EQ(errorOf(boxes),
            "expected no `copies` beside boxes without `tiles`, got 2");
  boxes.copies = 1;
  boxes.tiles = {3};
  EXPECT_EQ(errorOf(boxes), "expected a box for each of the 3 tiles, got 2");
  boxes.tiles = {2};
  EXPECT_EQ(errorOf(boxes), "");
  boxes.memory = {Box{{0, 4}}};
  EXPECT_EQ(errorOf(boxes),
            "expected as many memory boxes as compute boxes (2), got 1");
  boxes.memory = {Box{{0, 4}}, Box{{5, 8}}};
  EXPECT_EQ(errorOf(boxes), "expected the memory box of tile 1 to contain its "
                            "compute box [4:8], got [5:8]");
  boxes.memory = {Box{{0, 4}}, Box{{4, 8}, {0, 1}}};
  EXPECT_EQ(errorOf(boxes),
            "expected a memory box to have 1 dimensions as `tiles` has, got 2");
  boxes.memory.clear();
  boxes.compute[1] = Box{{4, 3}};
  EXPECT_EQ(errorOf(boxes), "expected ranges with 0 <= begin <= end, got "
                            "compute box [4:3] on tile 1");
  boxes.compute[1] = Box{{-1, 3}};
  EXPECT_FALSE(errorOf(boxes).empty());
  Distribution memoryOnly;
  memoryOnly.memory = {Box{{0, 4}}};
  EXPECT_EQ(errorOf(memoryOnly), "expected `tiles` or compute boxes beside "
                                 "memory boxes, got neither");
  Distribution many;
  many.compute.assign(4097, Box{{0, 4}});
  EXPECT_EQ(errorOf(many), "expected at most 4096 tiles, got 4097 boxes");
}

TEST(Distribution, NormalFormSaysNothingTwice) {
  Distribution distribution = segmented({2, 3});
  distribution.mode = Mode::Overlapped;
  distribution.align = {1, 1};
  distribution.major = {0, 1};
  Window small{0, 3, 1, 1, 1, 1}, large{1, 5, 1, 2, 2, 1};
  distribution.windows = {large, small, large};
  normalize(distribution);
  EXPECT_TRUE(distribution.align.empty());
  EXPECT_TRUE(distribution.major.empty());
  EXPECT_EQ(distribution.windows, (std::vector<Window>{small, large}));
  distribution.align = {1, 2};
  distribution.major = {1, 0};
  Distribution before = distribution;
  normalize(distribution);
  EXPECT_EQ(distribution, before);
}

TEST(Distribution, EqualLayoutsHaveEqualHashes) {
  RandomPlacements random(1);
  std::vector<Layout> layouts;
  for (int i = 0; i < 300; ++i) {
    Extents shape = random.shape();
    layouts.push_back(
        {random.distribution(shape),
         random.oneIn(2) ? random.permutation(shape.size()) : Permutation()});
  }
  layouts.push_back({});
  int equalHashes = 0;
  for (const Layout &a : layouts)
    for (const Layout &b : layouts) {
      if (a == b)
        ASSERT_EQ(hashValue(a), hashValue(b));
      else
        equalHashes += hashValue(a) == hashValue(b);
    }
  EXPECT_EQ(equalHashes, 0);

  // Empty boxes are equal wherever they are.
  Distribution one, other;
  one.compute = {Box{{0, 8}}, Box{{8, 8}}};
  other.compute = {Box{{0, 8}}, Box{{3, 3}}};
  EXPECT_EQ(one, other);
  EXPECT_EQ(hashValue({one, {}}), hashValue({other, {}}));
}

} // namespace
} // namespace npu
