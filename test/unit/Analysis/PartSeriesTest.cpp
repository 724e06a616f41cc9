// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Series of parts, part by part: whatever the parts, each is in one series,
// whose expressions say where it begins; and splits by the rules of layouts, of
// any number of tiles, are few of them.

#include "npu/Analysis/Choices/PartSeries.h"
#include "npu/Placement/Distributions/Placement.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace mlir;

namespace npu {
namespace {

using Ranges = SmallVector<Range, 2>;

int64_t valueAt(AffineExpr expr, int64_t part) {
  AffineExpr number = getAffineConstantExpr(part, expr.getContext());
  return cast<AffineConstantExpr>(expr.replaceDims(number)).getValue();
}

/// Every part is where its series says.
void expectSame(ArrayRef<PartSeries> all, ArrayRef<Ranges> parts) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  AffineExpr part = getAffineDimExpr(0, &context);
  unsigned next = 0;
  for (const PartSeries &series : all) {
    ASSERT_EQ(series.first, next);
    ASSERT_GT(series.count, 0u);
    next += series.count;
    ASSERT_LE(next, parts.size());
    for (auto [loop, range] : llvm::enumerate(series.ranges)) {
      AffineExpr begin = series.beginOf(range, part);
      EXPECT_TRUE(begin.isFunctionOfDim(0));
      for (unsigned i = 0; i < series.count; ++i) {
        Range expected = parts[series.first + i][loop];
        EXPECT_EQ(valueAt(begin, i), expected.begin);
        EXPECT_EQ(range.extent, expected.extent());
      }
    }
  }
  EXPECT_EQ(next, parts.size());
}

/// Without what is empty.
std::vector<Range> splitOf(int64_t extent, int64_t tiles, Split rule,
                           int64_t align = 1) {
  std::vector<Range> ranges = splitExtent(extent, tiles, rule, align);
  std::erase_if(ranges, [](Range range) { return range.isEmpty(); });
  return ranges;
}

TEST(PartSeriesTest, SplitsAreAtMostThreeSeries) {
  for (int64_t extent = 1; extent <= 80; ++extent)
    for (int64_t tiles = 1; tiles <= 20; ++tiles)
      for (int64_t align : {1, 4})
        for (Split rule : {Split::Balanced, Split::Ceil}) {
          SmallVector<Ranges> parts;
          for (Range range : splitOf(extent, tiles, rule, align))
            parts.push_back({range});
          auto all = findPartSeries(parts);
          expectSame(all, parts);
          EXPECT_LE(all.size(), align == 1 ? 2u : 3u);
        }
}

TEST(PartSeriesTest, AnEvenGridIsOneSeries) {
  for (int64_t rows : {1, 2, 5})
    for (int64_t columns : {1, 3, 4}) {
      SmallVector<Ranges> parts;
      for (Range row : splitOf(rows * 2, rows, Split::Balanced))
        for (Range column : splitOf(columns * 3, columns, Split::Balanced))
          parts.push_back({row, column});
      auto all = findPartSeries(parts);
      expectSame(all, parts);
      EXPECT_EQ(all.size(), 1u);
    }
}

TEST(PartSeriesTest, AnyPartsAreInSomeSeries) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    SmallVector<Ranges> parts;
    for (int64_t i = upTo(11); i >= 0; --i) {
      int64_t row = upTo(3), column = upTo(3);
      parts.push_back(
          {{row, row + 1 + upTo(1)}, {column, column + 1 + upTo(1)}});
    }
    llvm::sort(parts, [](const Ranges &a, const Ranges &b) {
      return std::pair(a[0].begin, a[1].begin) <
             std::pair(b[0].begin, b[1].begin);
    });
    expectSame(findPartSeries(parts), parts);
  }
}

} // namespace
} // namespace npu
