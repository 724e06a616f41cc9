// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps in a tile's coordinates, point by point: every small map, every
// range of loops that a tile may run, every part of a result that it may hold.

#include "npu/Interfaces/TileCoordinates.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Interfaces/OpAccess.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace npu {
namespace {

constexpr int64_t extents[] = {7, 4};

/// Not negative at any point of the loops d0 = 0 .. 6, d1 = 0 .. 3.
constexpr llvm::StringLiteral expressions[] = {
    "d0",
    "d1",
    "2",
    "d0 + 3",
    "6 - d0",
    "9 - d1",
    "d0 * 2 + 1",
    "12 - d0 * 2",
    "d0 floordiv 2",
    "d0 floordiv 7",
    "d0 ceildiv 3",
    "d0 mod 3",
    "d0 mod 5",
    "(d0 floordiv 2) * 2",
    "(d0 floordiv 3) * 4 + d0 mod 3",
    "(d0 + 2) floordiv 3",
    "(8 - d0) floordiv 3",
    "(8 - d0) ceildiv 3",
    "(d0 * 3) mod 4",
    "d0 * 4 + d1",
    "d0 + d1",
    "d0 * 2 + d1",
    "d0 - d1 + 3",
    "(d0 + d1) floordiv 3",
    "(d0 * 5 + d1) mod 6",
    "(d0 * 2 - d1 + 3) ceildiv 2",
    "d0 floordiv 2 + d1 mod 2",
    "(d0 floordiv 2) mod 2",
};

class TileCoordinatesTest : public ::testing::Test {
protected:
  TileCoordinatesTest() {
    DialectRegistry registry;
    registerModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<func::FuncDialect, linalg::LinalgDialect>();
  }

  AffineMap parse(llvm::StringRef results) {
    std::string text = "affine_map<(d0, d1) -> (" + results.str() + ")>";
    return cast<AffineMapAttr>(parseAttribute(text, &context)).getValue();
  }

  /// Calls `test` for every range of the two loops.
  template <typename Test>
  static void forEveryRange(Test test) {
    for (int64_t a = 0; a < extents[0]; ++a)
      for (int64_t b = a + 1; b <= extents[0]; ++b)
        for (int64_t c = 0; c < extents[1]; ++c)
          for (int64_t d = c + 1; d <= extents[1]; ++d)
            test(Range{a, b}, Range{c, d});
  }

  template <typename Test>
  static void forEveryPoint(Range outer, Range inner, Test test) {
    for (int64_t i = outer.begin; i < outer.end; ++i)
      for (int64_t j = inner.begin; j < inner.end; ++j)
        test(i, j);
  }

  MLIRContext context;
};

TEST_F(TileCoordinatesTest, EveryPointOfEverySmallMap) {
  int64_t points = 0;
  for (llvm::StringRef expression : expressions) {
    AffineMap map = parse(expression);
    forEveryRange([&](Range outer, Range inner) {
      // Wherever the tile's part begins: the map is exact, not just in bounds.
      for (int64_t begin : {0, 1, 5}) {
        AffineMap local =
            inTileCoordinates(map, {outer, inner}, Box{{begin, begin + 1}});
        forEveryPoint(outer, inner, [&](int64_t i, int64_t j) {
          ++points;
          ASSERT_EQ(local.compose({i - outer.begin, j - inner.begin})[0],
                    map.compose({i, j})[0] - begin)
              << expression.str() << " at " << i << ", " << j << ", loops from "
              << outer.begin << ", " << inner.begin;
        });
      }
    });
  }
  EXPECT_GT(points, 50000);
}

TEST_F(TileCoordinatesTest, PlainDimensionsStayPlain) {
  // linalg tells the extents of loops from them.
  AffineMap map = parse("d1, d0, d1");
  EXPECT_EQ(
      inTileCoordinates(map, {{2, 5}, {1, 3}}, Box{{1, 3}, {2, 5}, {1, 3}}),
      map);
  // A window's sum begins where its loops begin.
  AffineMap window = parse("d0 * 2 + d1");
  EXPECT_EQ(inTileCoordinates(window, {{2, 5}, {0, 3}}, Box{{4, 11}}), window);
}

/// An operation that writes through `results`, whose extents are `shape`.
std::string writesThrough(llvm::StringRef results, ArrayRef<int64_t> shape) {
  std::string type = "tensor<";
  for (int64_t extent : shape)
    type += std::to_string(extent) + "x";
  type += "f32>";
  return "func.func @f(%x: tensor<7x4xf32>, %y: " + type +
         ") {\n"
         "  %0 = linalg.generic {indexing_maps = [\n"
         "      affine_map<(d0, d1) -> (d0, d1)>,\n"
         "      affine_map<(d0, d1) -> (" +
         results.str() +
         ")>],\n"
         "      iterator_types = [\"reduction\", \"reduction\"]}\n"
         "      ins(%x : tensor<7x4xf32>) outs(%y : " +
         type +
         ") {\n"
         "  ^bb0(%a: f32, %b: f32):\n"
         "    linalg.yield %a : f32\n"
         "  } -> " +
         type + "\n  return\n}\n";
}

/// Boxes of iterations for a part of a result, compared with all points.
class IterationsForTest : public TileCoordinatesTest {
protected:
  void check(llvm::StringRef results) {
    AffineMap map = parse(results);
    SmallVector<int64_t> shape(map.getNumResults(), 0);
    forEveryPoint({0, extents[0]}, {0, extents[1]}, [&](int64_t i, int64_t j) {
      for (auto [extent, value] : llvm::zip(shape, map.compose({i, j})))
        extent = std::max(extent, value + 1);
    });
    auto module =
        parseSourceString<ModuleOp>(writesThrough(results, shape), &context);
    ASSERT_TRUE(module) << results.str();
    module->walk([&](linalg::GenericOp op) {
      std::optional<OpAccess> access = OpAccess::get(op);
      ASSERT_TRUE(access);
      checkParts(*access, map, shape);
    });
  }

  void checkParts(const OpAccess &access, AffineMap map,
                  ArrayRef<int64_t> shape) {
    for (int64_t begin = 0; begin < shape[0]; ++begin)
      for (int64_t end = begin + 1; end <= shape[0]; ++end) {
        Box box{{begin, end}};
        if (shape.size() == 2)
          box.push_back({0, (shape[1] + 1) / 2});
        checkPart(access, map, box);
      }
  }

  void checkPart(const OpAccess &access, AffineMap map, const Box &box) {
    IterationDomain iteration = access.iterationsFor(0, box);
    Box produced = access.produced(0, iteration);
    ++parts;
    bool exact = true;
    forEveryPoint({0, extents[0]}, {0, extents[1]}, [&](int64_t i, int64_t j) {
      Box entry;
      for (int64_t value : map.compose({i, j}))
        entry.push_back({value, value + 1});
      auto isIn = [](Range range, int64_t at) {
        return at >= range.begin && at < range.end;
      };
      bool runs = !iteration.empty && isIn(iteration.loops[0], i) &&
                  isIn(iteration.loops[1], j);
      // What writes into the box is never left out.
      ASSERT_TRUE(runs || !box.contains(entry)) << toString(box);
      // What is said to be written is all that is.
      ASSERT_TRUE(!runs || produced.contains(entry)) << toString(box);
      exact &= runs == box.contains(entry);
    });
    // Where no more is said to be written than the box, nothing else runs.
    if (box.contains(produced)) {
      EXPECT_TRUE(exact) << toString(box);
      ++exactParts;
    }
  }

  int64_t parts = 0, exactParts = 0;
};

TEST_F(IterationsForTest, NothingIsLostAndNothingIsHidden) {
  for (llvm::StringRef expression : expressions) {
    SCOPED_TRACE(expression.str());
    check(expression);
    check(expression.str() + ", d1");
    check(expression.str() + ", d0");
  }
  // Most parts of most maps can be cut; the rest falls back to the host.
  EXPECT_GT(exactParts, parts / 2) << parts;
}

} // namespace
} // namespace npu
