// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What affine expressions span, and which iterations stay within a range of
// values, against a walk over every iteration.

#include "Interfaces/AffineRanges.h"

#include "npu/Placement/Boxes/Box.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <span>

using namespace mlir;

namespace npu {
namespace {

using Point = SmallVector<int64_t, 2>;

/// Results over the loops d0 = 0 .. extents[0] - 1 and d1 = 0 .. extents[1]
/// - 1.
struct Maps {
  const char *results;
  int64_t extents[2];
  /// Of the tensor: 0 for one more than the largest value.
  int64_t shape[2] = {0, 0};
};

constexpr Maps maps[] = {
    // Plain, permuted, diagonal, broadcast.
    {"d0, d1", {7, 4}},
    {"d1, d0", {7, 4}},
    {"d0, d0", {7, 1}},
    {"d1", {2, 5}},
    // Slices, with and without a dimension that is dropped.
    {"d0 * 2 + 1, d1", {3, 4}, {8, 4}},
    {"d0 * 3, d1 + 2", {3, 4}, {7, 9}},
    {"2, d1", {1, 4}, {5, 4}},
    {"d0, 0", {4, 1}, {4, 3}},
    // A pad: the first and last iterations lie outside of the tensor.
    {"d0 - 2, d1 - 1", {8, 5}, {5, 3}},
    {"d0 - 1", {4, 1}, {3, 0}},
    {"d0, d1", {8, 5}, {5, 3}},
    {"-1, d0 + d1", {2, 2}, {2, 3}},
    {"0, 3", {2, 1}, {2, 3}},
    // Merged and split dimensions.
    {"d0 * 4 + d1", {3, 4}},
    {"d1 * 5 + d0", {5, 3}},
    {"d0 floordiv 4, d0 mod 4", {12, 1}},
    {"d0 floordiv 6, (d0 floordiv 2) mod 3, d0 mod 2", {24, 1}},
    {"d0 mod 4, d0 floordiv 4", {12, 1}},
    // Some digits of a loop, and not the others.
    {"d0 mod 3", {7, 1}},
    {"d0 floordiv 3", {7, 1}},
    {"(d0 floordiv 2) mod 2", {7, 1}},
    {"d0 mod 4", {7, 1}, {8, 0}},
    {"d0 floordiv 4, d0 mod 4", {10, 1}, {5, 4}},
    {"d0 floordiv 4, d0 mod 2", {12, 1}},
    // Windows, reversals, and what is none of these.
    {"d0 + d1", {5, 3}},
    {"d0 * 2 + d1", {4, 3}},
    {"d0 * 2 + d1 * 3 - 1", {4, 3}, {11, 0}},
    {"6 - d0, d1", {7, 4}},
    {"12 - d0 * 2", {7, 1}},
    {"d0 ceildiv 3", {7, 1}},
    {"(d0 * 5 + d1) mod 6", {7, 4}},
    {"(d0 floordiv 2) * 2 + d1", {7, 2}},
    {"(d0 + d1) floordiv 3, d1", {7, 4}},
};

class AffineRangesTest : public ::testing::Test {
protected:
  SmallVector<AffineExpr> parse(llvm::StringRef results) {
    std::string text = "affine_map<(d0, d1) -> (" + results.str() + ")>";
    AffineMap map =
        cast<AffineMapAttr>(parseAttribute(text, &context)).getValue();
    return SmallVector<AffineExpr>(map.getResults());
  }

  static int64_t valueAt(AffineExpr expr, const Point &point) {
    SmallVector<AffineExpr> dims;
    for (int64_t position : point)
      dims.push_back(getAffineConstantExpr(position, expr.getContext()));
    return cast<AffineConstantExpr>(expr.replaceDims(dims)).getValue();
  }

  static std::vector<Point> pointsOf(ArrayRef<Range> loops) {
    std::vector<Point> points;
    for (int64_t i = loops[0].begin; i < loops[0].end; ++i)
      for (int64_t j = loops[1].begin; j < loops[1].end; ++j)
        points.push_back({i, j});
    return points;
  }

  /// Calls `test` for every box of a tensor of this shape that has an entry.
  template <typename Test>
  static void forEveryBox(std::span<const int64_t> shape, const Test &test,
                          const Box &outer = {}) {
    if (outer.rank() == shape.size()) {
      test(outer);
      return;
    }
    int64_t extent = shape[outer.rank()];
    for (int64_t begin = 0; begin < extent; ++begin)
      for (int64_t end = begin + 1; end <= extent; ++end) {
        Box box = outer;
        box.push_back({begin, end});
        forEveryBox(shape, test, box);
      }
  }

  /// The shape of the tensor that `map` reads.
  static Extents shapeOf(const Maps &map, ArrayRef<AffineExpr> exprs) {
    Extents shape;
    for (auto [dim, expr] : llvm::enumerate(exprs)) {
      int64_t extent = dim < 2 ? map.shape[dim] : 0;
      if (extent == 0)
        for (const Point &point : pointsOf(wholeLoops(map)))
          extent = std::max(extent, valueAt(expr, point) + 1);
      shape.push_back(extent);
    }
    return shape;
  }

  static SmallVector<Range> wholeLoops(const Maps &map) {
    return {{0, map.extents[0]}, {0, map.extents[1]}};
  }

  MLIRContext context;
};

/// Whether a range is the smallest one is said of expressions in which no loop
/// stands twice and no remainder is taken of anything but a loop.
bool isExact(llvm::StringRef expression) {
  return expression.count("d0") <= 1 && expression.count("d1") <= 1 &&
         !expression.contains(") mod");
}

TEST_F(AffineRangesTest, ValuesOfEveryRangeOfLoops) {
  int64_t ranges = 0;
  for (const Maps &map : maps) {
    SmallVector<llvm::StringRef> texts;
    llvm::StringRef(map.results).split(texts, ", ");
    for (auto [text, expr] : llvm::zip_equal(texts, parse(map.results)))
      forEveryBox(map.extents, [&, text = text, expr = expr](const Box &box) {
        SmallVector<Range> loops(box.begin(), box.end());
        Range oracle{INT64_MAX, INT64_MIN};
        for (const Point &point : pointsOf(loops)) {
          int64_t value = valueAt(expr, point);
          oracle = {std::min(oracle.begin, value),
                    std::max(oracle.end, value + 1)};
        }
        Range range = valuesOf(expr, loops);
        ++ranges;
        ASSERT_TRUE(range.begin <= oracle.begin && oracle.end <= range.end)
            << text.str();
        if (isExact(text))
          ASSERT_TRUE(range == oracle)
              << text.str() << ": expected " << oracle.begin << ":"
              << oracle.end << ", got " << range.begin << ":" << range.end;
      });
  }
  EXPECT_GT(ranges, 3000);
}

TEST_F(AffineRangesTest, NarrowingLosesNoIteration) {
  int64_t boxes = 0, narrowed = 0;
  for (const Maps &map : maps) {
    SmallVector<AffineExpr> exprs = parse(map.results);
    Extents shape = shapeOf(map, exprs);
    forEveryBox(shape.span(), [&](const Box &values) {
      SmallVector<Range> loops = wholeLoops(map);
      std::vector<Point> all = pointsOf(loops);
      bool any = narrowAround(exprs, values, loops);
      ++boxes;
      narrowed += !any || loops != wholeLoops(map);
      for (const Point &point : all) {
        bool hits = true;
        for (auto [dim, expr] : llvm::enumerate(exprs)) {
          int64_t value = valueAt(expr, point);
          hits &= values[dim].begin <= value && value < values[dim].end;
        }
        bool stays = any && loops[0].begin <= point[0] &&
                     point[0] < loops[0].end && loops[1].begin <= point[1] &&
                     point[1] < loops[1].end;
        ASSERT_TRUE(stays || !hits)
            << map.results << " loses " << point[0] << ", " << point[1];
      }
    });
  }
  EXPECT_GT(boxes, 3000);
  EXPECT_GT(narrowed, 2000);
}

/// Whether the tile that holds `values` of the tensor takes this iteration: it
/// reads one of its entries, or lies before the first or after the last one.
bool takes(const Box &values, const Extents &shape, ArrayRef<int64_t> at) {
  for (auto [range, extent, position] : llvm::zip_equal(values, shape, at)) {
    int64_t nearest = std::clamp<int64_t>(position, 0, extent - 1);
    if (nearest < range.begin || nearest >= range.end)
      return false;
  }
  return true;
}

TEST_F(AffineRangesTest, IterationsWithinEveryBox) {
  int64_t said = 0;
  for (const Maps &map : maps) {
    SmallVector<AffineExpr> exprs = parse(map.results);
    Extents shape = shapeOf(map, exprs);
    int64_t saidOfMap = 0;
    forEveryBox(shape.span(), [&](const Box &values) {
      SmallVector<Range> loops = wholeLoops(map);
      std::vector<Point> all = pointsOf(loops);
      if (!narrowToValues(exprs, values, shape, map.extents, loops))
        return;
      ++saidOfMap;
      for (const Point &point : all) {
        SmallVector<int64_t> at;
        for (AffineExpr expr : exprs)
          at.push_back(valueAt(expr, point));
        bool stays = loops[0].begin <= point[0] && point[0] < loops[0].end &&
                     loops[1].begin <= point[1] && point[1] < loops[1].end;
        EXPECT_EQ(stays, takes(values, shape, at))
            << map.results << " at " << point[0] << ", " << point[1]
            << ", values from " << values[0].begin << " to " << values[0].end;
      }
    });
    // Every map has at least one box that says something: the whole tensor.
    EXPECT_GT(saidOfMap, 0) << map.results;
    said += saidOfMap;
  }
  EXPECT_GT(said, 500);
}

} // namespace
} // namespace npu
