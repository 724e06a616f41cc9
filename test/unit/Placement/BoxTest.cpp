// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything else trusts box arithmetic, so it is compared here with plain
// sets of elements.

#include "npu/Placement/Boxes/Box.h"
#include "Elements.h"

#include <gtest/gtest.h>

#include <random>

namespace npu {
namespace {

const Extents kShape{4, 3, 5};

Box randomBox(std::mt19937 &random) {
  Box box;
  for (int64_t extent : kShape) {
    int64_t a = static_cast<int64_t>(random() % (extent + 1));
    int64_t b = static_cast<int64_t>(random() % (extent + 1));
    box.push_back({std::min(a, b), std::max(a, b)});
  }
  return box;
}

TEST(Box, AgreesWithSetsOfElements) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    Box a = randomBox(random), b = randomBox(random);
    SCOPED_TRACE(toString(a) + " and " + toString(b));
    Elements inA = elementsOf(a, kShape), inB = elementsOf(b, kShape);
    Elements inBoth(inA.size()), inEither(inA.size()), onlyA(inA.size());
    for (std::size_t i = 0; i < inA.size(); ++i) {
      inBoth[i] = inA[i] && inB[i];
      inEither[i] = inA[i] || inB[i];
      onlyA[i] = inA[i] && !inB[i];
    }
    ASSERT_EQ(a.volume(), countOf(inA));
    ASSERT_EQ(a.isEmpty(), countOf(inA) == 0);
    ASSERT_EQ(a == b, inA == inB);
    ASSERT_EQ(a.contains(b), inBoth == inB);
    ASSERT_EQ(overlap(a, b), countOf(inBoth) > 0);
    ASSERT_EQ(elementsOf(intersect(a, b), kShape), inBoth);
    ASSERT_TRUE(hull(a, b).contains(a) && hull(a, b).contains(b));

    // Two boxes are one box exactly when their hull has no more elements.
    std::optional<Box> one = joined(a, b);
    ASSERT_EQ(one.has_value(), elementsOf(hull(a, b), kShape) == inEither);
    if (one)
      ASSERT_EQ(elementsOf(*one, kShape), inEither);

    Elements seen(inA.size());
    std::vector<Box> rest = subtract(a, b);
    ASSERT_LE(rest.size(), 2 * kShape.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      ASSERT_FALSE(rest[i].isEmpty());
      if (i > 0) {
        Extents before = rest[i - 1].offsets(), here = rest[i].offsets();
        ASSERT_TRUE(std::lexicographical_compare(before.begin(), before.end(),
                                                 here.begin(), here.end()));
      }
      Elements part = elementsOf(rest[i], kShape);
      for (std::size_t j = 0; j < part.size(); ++j) {
        ASSERT_FALSE(part[j] && seen[j]);
        seen[j] = seen[j] || part[j];
      }
    }
    ASSERT_EQ(seen, onlyA);
  }
}

TEST(Box, FindsUncoveredParts) {
  std::mt19937 random(2);
  int covered = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Box> boxes;
    Elements seen(elementCount(kShape));
    for (int count = static_cast<int>(random() % 12); count >= 0; --count) {
      boxes.push_back(randomBox(random));
      if (random() % 2) // wide ones, so that some of the sets do cover
        boxes.back()[random() % 3] = {0, 5}, boxes.back()[1] = {0, 3};
      boxes.back()[0].end = std::min<int64_t>(boxes.back()[0].end, 4);
      Elements part = elementsOf(boxes.back(), kShape);
      for (std::size_t i = 0; i < part.size(); ++i)
        seen[i] = seen[i] || part[i];
    }
    bool gaveUp = true;
    std::optional<Box> gap = findUncovered(Box::whole(kShape), boxes, gaveUp);
    ASSERT_FALSE(gaveUp);
    ASSERT_EQ(gap.has_value(), countOf(seen) < Box::whole(kShape).volume());
    if (!gap) {
      ++covered;
      continue;
    }
    Elements part = elementsOf(*gap, kShape);
    ASSERT_GT(countOf(part), 0);
    for (std::size_t i = 0; i < part.size(); ++i)
      ASSERT_FALSE(part[i] && seen[i]);
  }
  EXPECT_GT(covered, 100);
}

TEST(Box, GivesUpWhenTheBudgetIsSpent) {
  std::vector<Box> cells;
  for (int64_t i = 0; i < 32; ++i)
    for (int64_t j = 0; j < 32; ++j)
      cells.push_back({{i, i + 1}, {j, j + 1}});
  bool gaveUp = false;
  EXPECT_FALSE(findUncovered(Box::whole({32, 32}), cells, gaveUp));
  EXPECT_FALSE(gaveUp);
  EXPECT_FALSE(findUncovered(Box::whole({32, 32}), cells, gaveUp, 1000));
  EXPECT_TRUE(gaveUp);
}

TEST(Box, EmptyBoxesAreEqualAndInsideEveryBox) {
  Box some{{1, 2}, {3, 4}}, empty{{5, 5}, {0, 9}}, other{{0, 1}, {2, 2}};
  EXPECT_EQ(empty, other);
  EXPECT_NE(empty, some);
  EXPECT_TRUE(some.contains(empty));
  EXPECT_FALSE(empty.contains(some));
  EXPECT_EQ(joined(some, empty), some);
  EXPECT_EQ(hull(empty, some), some);
  EXPECT_TRUE(subtract(empty, some).empty());
}

TEST(Box, AScalarIsOneElement) {
  Box scalar = Box::whole({});
  EXPECT_FALSE(scalar.isEmpty());
  EXPECT_EQ(scalar.volume(), 1);
  EXPECT_EQ(toString(scalar), "[]");
}

TEST(Box, SaysItsRanges) {
  EXPECT_EQ(toString(Box{{0, 1}, {7, 14}}), "[0:1, 7:14]");
  EXPECT_EQ(toString(Extents{1, 28, 336, 128}), "[1, 28, 336, 128]");
  EXPECT_EQ(Box::fromOffsetsAndSizes({2, 3}, {4, 5}), (Box{{2, 6}, {3, 8}}));
  EXPECT_EQ((Box{{2, 6}, {3, 8}}).offsets(), (Extents{2, 3}));
  EXPECT_EQ((Box{{2, 6}, {3, 8}}).sizes(), (Extents{4, 5}));
}

TEST(Box, ProductsThatDoNotFitAreNoProducts) {
  int64_t half = int64_t(1) << 62;
  EXPECT_EQ(checkedProduct(Extents{half, 2}.span()), std::nullopt);
  EXPECT_EQ(checkedProduct(Extents{half, half, 0}.span()), 0);
  EXPECT_EQ(checkedProduct(Extents{half, 1}.span()), half);
  EXPECT_EQ(checkedProduct({}), 1);
  EXPECT_EQ((Box{{0, half}, {0, half}, {3, 3}}).volume(), 0);
}

} // namespace
} // namespace npu
