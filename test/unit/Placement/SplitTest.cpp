// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two split rules that differ by one element move thousands of them. Both are
// compared here with their definitions, and with the examples that the
// documentation gives.

#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

#include <numeric>

namespace npu {
namespace {

std::vector<int64_t> sizes(const std::vector<Range> &ranges) {
  std::vector<int64_t> result;
  for (const Range &range : ranges)
    result.push_back(range.extent());
  return result;
}

using Sizes = std::vector<int64_t>;

TEST(Split, DocumentedExamples) {
  auto split = [](int64_t extent, int64_t count, Split rule,
                  int64_t align = 1) {
    return sizes(splitExtent(extent, count, rule, align));
  };
  EXPECT_EQ(split(10, 4, Split::Balanced), (Sizes{3, 3, 2, 2}));
  EXPECT_EQ(split(28, 3, Split::Balanced), (Sizes{10, 9, 9}));
  EXPECT_EQ(split(80, 4, Split::Balanced, 16), (Sizes{32, 16, 16, 16}));
  EXPECT_EQ(split(10, 4, Split::Ceil), (Sizes{3, 3, 3, 1}));
  EXPECT_EQ(split(28, 3, Split::Ceil), (Sizes{10, 10, 8}));
  EXPECT_EQ(split(80, 4, Split::Ceil, 16), (Sizes{32, 32, 16, 0}));
}

/// Dealing granules one by one, as the definition says.
Sizes dealtBalanced(int64_t extent, int64_t count, int64_t align) {
  Sizes granules(count);
  int64_t total = (extent + align - 1) / align;
  for (int64_t granule = 0; granule < total; ++granule)
    ++granules[granule % count];
  Sizes result;
  int64_t left = extent;
  for (int64_t number : granules) {
    result.push_back(std::min(left, number * align));
    left -= result.back();
  }
  return result;
}

Sizes dealtCeil(int64_t extent, int64_t count, int64_t align) {
  int64_t each = (extent + count - 1) / count;
  while (each % align != 0)
    ++each;
  Sizes result;
  for (int64_t left = extent; count > 0; --count) {
    result.push_back(std::min(left, each));
    left -= result.back();
  }
  return result;
}

TEST(Split, AgreesWithTheDefinition) {
  for (int64_t extent = 0; extent <= 60; ++extent)
    for (int64_t count = 1; count <= 9; ++count)
      for (int64_t align = 1; align <= 18; ++align) {
        SCOPED_TRACE(testing::Message()
                     << extent << " over " << count << " aligned to " << align);
        std::vector<Range> balanced =
            splitExtent(extent, count, Split::Balanced, align);
        std::vector<Range> ceil =
            splitExtent(extent, count, Split::Ceil, align);
        ASSERT_EQ(sizes(balanced), dealtBalanced(extent, count, align));
        ASSERT_EQ(sizes(ceil), dealtCeil(extent, count, align));
        for (const std::vector<Range> *ranges : {&balanced, &ceil}) {
          ASSERT_EQ(ranges->front().begin, 0);
          ASSERT_EQ(ranges->back().end, extent);
          for (std::size_t i = 1; i < ranges->size(); ++i)
            ASSERT_EQ((*ranges)[i].begin, (*ranges)[i - 1].end);
        }
      }
}

TEST(Split, NumbersNearTheLimit) {
  int64_t huge = INT64_MAX;
  for (Split rule : {Split::Balanced, Split::Ceil})
    for (int64_t align :
         {int64_t(1), int64_t(16), huge / 2 + 1, huge - 1, huge})
      for (int64_t count : {int64_t(1), int64_t(3), kMaxTiles}) {
        std::vector<Range> ranges = splitExtent(huge, count, rule, align);
        int64_t end = 0;
        for (const Range &range : ranges) {
          ASSERT_EQ(range.begin, end);
          ASSERT_GE(range.end, range.begin);
          end = range.end;
        }
        ASSERT_EQ(end, huge);
      }
  EXPECT_TRUE(splitExtent(-1, 2, Split::Ceil).empty());
  EXPECT_TRUE(splitExtent(8, 0, Split::Ceil).empty());
  EXPECT_TRUE(splitExtent(8, 2, Split::Ceil, 0).empty());
}

} // namespace
} // namespace npu
