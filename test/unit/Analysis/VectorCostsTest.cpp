// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What vector engines do: bodies by the kinds of their operations, and copies.
// What costs nothing, and what is done in DDR.

#include "CostsFixture.h"

using namespace mlir;

namespace npu {
namespace {

class VectorCostsTest : public CostsFixture {
protected:
  /// Of a generic on a row of `count` elements per tile, with `steps` from %x.
  int64_t rowCycles(const std::string &steps, const std::string &result = "%y",
                    const std::string &element = "f16", int64_t count = 300) {
    std::string tensor =
        "tensor<" + std::to_string(2 * count) + "x" + element + ", #d0of1>";
    return costOf("%a: " + tensor,
                  "%one = arith.constant 1.0 : f16\n"
                  "%e = tensor.empty() : " +
                      tensor +
                      "\n%r = linalg.generic {indexing_maps = [affine_map<(i) "
                      "-> (i)>, affine_map<(i) -> (i)>], iterator_types = "
                      "[\"parallel\"]} ins(%a : " +
                      tensor + ") outs(%e : " + tensor +
                      ") {\n^bb0(%x: " + element + ", %out: " + element +
                      "):\n" + steps + "\nlinalg.yield " + result + " : " +
                      element + "\n} -> " + tensor)
        .cycles;
  }

  int64_t inDdr(int64_t bytes) const {
    return transferCycles(figures, Direction::DdrToDdr, bytes);
  }
};

TEST_F(VectorCostsTest, KindsOfOperations) {
  EXPECT_EQ(rowCycles("%y = math.exp %x : f16"), vector({.special = 1}, 300));
  EXPECT_EQ(rowCycles("%y = math.rsqrt %x : f16"), vector({.special = 1}, 300));
  EXPECT_EQ(rowCycles("%y = math.absf %x : f16"), vector({.simple = 1}, 300));
  EXPECT_EQ(rowCycles("%y = math.tanh %x : f16"), vector({.sigmoid = 1}, 300));
  EXPECT_EQ(rowCycles("%y = arith.divf %x, %one : f16"),
            vector({.divide = 1}, 300));
  EXPECT_EQ(rowCycles("%y = arith.addf %x, %one : f16"),
            vector({.simple = 1}, 300));
  // A comparison, a selection, and two conversions.
  EXPECT_EQ(rowCycles("%c = arith.cmpf olt, %x, %one : f16\n"
                      "%s = arith.select %c, %x, %one : f16\n"
                      "%w = arith.extf %s : f16 to f32\n"
                      "%y = arith.truncf %w : f32 to f16"),
            vector({.simple = 4}, 300));
  // Positions are there; arithmetic of them is simple.
  EXPECT_EQ(rowCycles("%i = linalg.index 0 : index\n"
                      "%j = arith.divui %i, %i : index\n"
                      "%k = arith.index_cast %j : index to i16\n"
                      "%y = arith.uitofp %k : i16 to f16"),
            vector({.simple = 3}, 300));
  EXPECT_EQ(rowCycles("%y = arith.divsi %x, %x : i32", "%y", "i32"),
            vector({.simple = 1}, 300, 32));
}

// The way in which tosa.sigmoid is written out.
TEST_F(VectorCostsTest, Sigmoid) {
  EXPECT_EQ(rowCycles("%n = arith.negf %x : f16\n"
                      "%p = math.exp %n : f16\n"
                      "%s = arith.addf %p, %one : f16\n"
                      "%q = arith.divf %one, %s : f16\n"
                      "%y = arith.mulf %q, %x : f16"),
            vector({.simple = 1, .sigmoid = 1}, 300));
  // Somebody else needs the sum.
  EXPECT_EQ(rowCycles("%n = arith.negf %x : f16\n"
                      "%p = math.exp %n : f16\n"
                      "%s = arith.addf %p, %one : f16\n"
                      "%q = arith.divf %one, %s : f16\n"
                      "%y = arith.mulf %q, %s : f16"),
            vector({.simple = 3, .special = 1, .divide = 1}, 300));
  EXPECT_EQ(rowCycles("%p = math.exp %x : f16\n"
                      "%s = arith.addf %p, %one : f16\n"
                      "%y = arith.divf %one, %s : f16"),
            vector({.simple = 1, .special = 1, .divide = 1}, 300));
}

TEST_F(VectorCostsTest, OperationsOnTensors) {
  std::string half = "tensor<64x48xf16, #d0of2>";
  EXPECT_EQ(costOf("%a: " + half, "%r = math.exp %a : " + half).cycles,
            vector({.special = 1}, 32 * 48));
  EXPECT_EQ(costOf("%a: " + half, "%r = arith.divf %a, %a : " + half).cycles,
            vector({.divide = 1}, 32 * 48));
  EXPECT_EQ(costOf("%a: " + half, "%r = arith.extf %a : " + half +
                                      " to tensor<64x48xf32, #d0of2>")
                .cycles,
            vector({.simple = 1}, 32 * 48, 32, {{32 * 48, 16}, {32 * 48, 32}}));
  EXPECT_EQ(
      costOf("%a: " + half + ", %b: " + half +
                 ", %c: "
                 "tensor<64x48xi1, #d0of2>",
             "%r = arith.select %c, %a, %b : tensor<64x48xi1, #d0of2>, " + half)
          .cycles,
      vector({.simple = 1}, 32 * 48, 16,
             {{32 * 48, 1}, {2 * 32 * 48, 16}, {32 * 48, 16}}));
}

// A row that is repeated is no tensor of the result's shape.
TEST_F(VectorCostsTest, Broadcast) {
  EXPECT_EQ(costOf("%a: tensor<64x48xf16, #one>, %b: tensor<48xf16, #one>",
                   "%r = linalg.generic {indexing_maps = [affine_map<(i, j) "
                   "-> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) "
                   "-> (i, j)>], iterator_types = [\"parallel\", "
                   "\"parallel\"]} ins(%a, %b : tensor<64x48xf16, #one>, "
                   "tensor<48xf16, #one>) outs(%a : tensor<64x48xf16, #one>) "
                   "{\n^bb0(%x: f16, %y: f16, %z: f16):\n"
                   "  %s = arith.addf %x, %y : f16\n  linalg.yield %s : f16\n"
                   "} -> tensor<64x48xf16, #one>")
                .cycles,
            vector({.simple = 1}, 64 * 48, 16,
                   {{64 * 48, 16}, {48, 16}, {64 * 48, 16}}));
}

// Which of two rows a row of the result is, is decided once for it: nothing is
// selected along it. Where the condition changes along the row, all entries
// are.
TEST_F(VectorCostsTest, SelectedRows) {
  auto selected = [&](const std::string &loop) {
    return costOf("%a: tensor<48xf16, #one>, %b: tensor<48xf16, #one>, "
                  "%c: tensor<2x48xf16, #one>",
                  "%k = arith.constant 1 : index\n"
                  "%r = linalg.generic {indexing_maps = [affine_map<(i, j) "
                  "-> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> "
                  "(i, j)>], iterator_types = [\"parallel\", \"parallel\"]} "
                  "ins(%a, %b : tensor<48xf16, #one>, tensor<48xf16, #one>) "
                  "outs(%c : tensor<2x48xf16, #one>) {\n"
                  "^bb0(%x: f16, %y: f16, %z: f16):\n"
                  "  %i = linalg.index " +
                      loop +
                      " : index\n"
                      "  %d = arith.cmpi eq, %i, %k : index\n"
                      "  %s = arith.select %d, %x, %y : f16\n"
                      "  %n = arith.negf %s : f16\n"
                      "  linalg.yield %n : f16\n} -> tensor<2x48xf16, #one>")
        .cycles;
  };
  EXPECT_EQ(selected("0"),
            inParts({{{.simple = 2}, 2}, {{.simple = 1}, 2 * 48}},
                    {{2 * 48}, {2 * 48}}));
  EXPECT_EQ(selected("1"),
            inParts({{{.simple = 3}, 48}}, {{2 * 48}, {2 * 48}}));
}

// Every step of a reduction, which a tile does for its own results.
TEST_F(VectorCostsTest, Reductions) {
  EXPECT_EQ(
      costOf("%a: tensor<64x48xf16, #d0of2>, %b: tensor<64xf16, #d0of1>",
             "%r = linalg.reduce { arith.addf } ins(%a : "
             "tensor<64x48xf16, #d0of2>) outs(%b : tensor<64xf16, #d0of1>) "
             "dimensions = [1]")
          .cycles,
      vector({.reduce = 1}, 32 * 48));
  // The position of the largest: a comparison and two selections.
  EXPECT_EQ(
      costOf("%a: tensor<64x48xf16, #one>, %b: tensor<64xf16, #one>, "
             "%c: tensor<64xi16, #one>",
             "%r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> "
             "(i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], "
             "iterator_types = [\"parallel\", \"reduction\"]} ins(%a : "
             "tensor<64x48xf16, #one>) outs(%b, %c : tensor<64xf16, #one>, "
             "tensor<64xi16, #one>) {\n^bb0(%x: f16, %m: f16, %at: i16):\n"
             "  %i = linalg.index 1 : index\n"
             "  %k = arith.index_cast %i : index to i16\n"
             "  %g = arith.cmpf ogt, %x, %m : f16\n"
             "  %n = arith.select %g, %x, %m : f16\n"
             "  %t = arith.select %g, %k, %at : i16\n"
             "  linalg.yield %n, %t : f16, i16\n} -> (tensor<64xf16, #one>, "
             "tensor<64xi16, #one>)")
          .cycles,
      inParts({{{.simple = 1}, 48}, {{.reduce = 3}, 64 * 48}},
              {{64 * 48}, {4 * 64}}));
}

// What is the same for a whole row is computed once for it, and each operation
// has the width of its own numbers: a product in f32 and its conversion, and a
// sum in f16.
TEST_F(VectorCostsTest, RowsAndWidths) {
  EXPECT_EQ(
      costOf(
          "%a: tensor<64x48xf32, #d0of2>, %b: tensor<64xf32, #d0of1>, "
          "%c: tensor<64x48xf16, #d0of2>",
          "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> "
          "(i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, "
          "j)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%a, %b : "
          "tensor<64x48xf32, #d0of2>, tensor<64xf32, #d0of1>) outs(%c : "
          "tensor<64x48xf16, #d0of2>) {\n^bb0(%x: f32, %y: f32, %z: f16):\n"
          "  %k = math.rsqrt %y : f32\n"
          "  %p = arith.mulf %x, %k : f32\n"
          "  %t = arith.truncf %p : f32 to f16\n"
          "  %s = arith.addf %t, %t : f16\n"
          "  linalg.yield %s : f16\n} -> tensor<64x48xf16, #d0of2>")
          .cycles,
      inParts({{{.special = 1}, 32, 32},
               {{.simple = 2}, 32 * 48, 32},
               {{.simple = 1}, 32 * 48, 16}},
              {{32 * 48 + 32, 32}, {32 * 48, 16}}));
}

// A sum of two rows takes what its loads and stores take: of the engine's own
// operations there are too few.
TEST_F(VectorCostsTest, MovesAndOperations) {
  auto cost = [&](const std::string &steps) {
    return costOf("%a: tensor<600xf16, #d0of1>, %b: tensor<600xf16, #d0of1>",
                  "%e = tensor.empty() : tensor<600xf16, #d0of1>\n"
                  "%r = linalg.generic {indexing_maps = [affine_map<(i) -> "
                  "(i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
                  "iterator_types = [\"parallel\"]} ins(%a, %b : "
                  "tensor<600xf16, #d0of1>, tensor<600xf16, #d0of1>) outs(%e : "
                  "tensor<600xf16, #d0of1>) {\n^bb0(%x: f16, %y: f16, %z: "
                  "f16):\n" +
                      steps +
                      "  linalg.yield %s : f16\n} -> tensor<600xf16, #d0of1>")
        .cycles;
  };
  const std::string sum = "  %k = math.absf %x : f16\n"
                          "  %s = arith.addf %k, %y : f16\n";
  int64_t moved =
      figures.vectorOverhead + 900 * 1000 / figures.vectorMoveRate + 1;
  EXPECT_EQ(cost(sum), moved);
  const std::string more = "  %k = math.absf %x : f16\n"
                           "  %l = math.absf %k : f16\n"
                           "  %m = math.absf %l : f16\n"
                           "  %n = math.absf %m : f16\n"
                           "  %s = arith.addf %n, %y : f16\n";
  EXPECT_EQ(cost(more), figures.vectorOverhead +
                            5 * 300 * 1000 / figures.vectorSimpleRate + 1);
}

TEST_F(VectorCostsTest, Softmax) {
  EXPECT_EQ(
      costOf("%a: tensor<64x48xf16, #d0of2>",
             "%e = tensor.empty() : tensor<64x48xf16, #d0of2>\n"
             "%r = linalg.softmax dimension(1) ins(%a : "
             "tensor<64x48xf16, #d0of2>) outs(%e : tensor<64x48xf16, #d0of2>) "
             "-> tensor<64x48xf16, #d0of2>")
          .cycles,
      vector({.softmax = 1}, 32 * 48));
}

TEST_F(VectorCostsTest, Copies) {
  EXPECT_EQ(costOf("%a: tensor<48x64xf16, #d1of2>, %b: tensor<64x48xf16, "
                   "#d0of2>",
                   "%r = linalg.transpose ins(%a : tensor<48x64xf16, #d1of2>) "
                   "outs(%b : tensor<64x48xf16, #d0of2>) permutation = [1, 0]")
                .cycles,
            vector({}, 32 * 48));
  EXPECT_EQ(costOf("%a: tensor<48xf16, #two>, %b: tensor<64x48xf16, #d0of2>",
                   "%r = linalg.broadcast ins(%a : tensor<48xf16, #two>) "
                   "outs(%b : tensor<64x48xf16, #d0of2>) dimensions = [0]")
                .cycles,
            vector({}, 32 * 48, 16, {{48}, {32 * 48}}));
  EXPECT_EQ(costOf("%a: tensor<60x48xf16, #two>, %z: f16",
                   "%r = tensor.pad %a low[0, 0] high[4, 0] {\n"
                   "^bb0(%i: index, %j: index):\n  tensor.yield %z : f16\n"
                   "} : tensor<60x48xf16, #two> to tensor<64x48xf16, #d0of2>")
                .cycles,
            vector({}, 32 * 48));
  EXPECT_EQ(costOf("%a: tensor<16x48xf16, #two>",
                   "%r = tensor.concat dim(0) %a, %a : (tensor<16x48xf16, "
                   "#two>, tensor<16x48xf16, #two>) -> tensor<32x48xf16, "
                   "#d0of2>")
                .cycles,
            vector({}, 16 * 48));
}

// Rows 10:40 of 64: the first tile writes 22 of its 32, the rest is in place.
TEST_F(VectorCostsTest, InsertSlice) {
  EXPECT_EQ(costOf("%a: tensor<30x48xf16, #two>, %b: tensor<64x48xf16, "
                   "#d0of2>",
                   "%r = tensor.insert_slice %a into %b[10, 0] [30, 48] [1, 1] "
                   ": tensor<30x48xf16, #two> into tensor<64x48xf16, #d0of2>"),
            (ModelledCost{vector({}, 22 * 48), 0, 0}));
  EXPECT_EQ(costOf("%a: tensor<30x48xf16>, %b: tensor<64x48xf16>, %i: index",
                   "%r = tensor.insert_slice %a into %b[%i, 0] [30, 48] [1, 1] "
                   ": tensor<30x48xf16> into tensor<64x48xf16>"),
            (ModelledCost{inDdr(2880), 0, 2880, 2 * 2880}));
}

TEST_F(VectorCostsTest, Nothing) {
  std::string half = "tensor<64x48xf16, #d0of2>";
  for (const std::string &body : {
           "%r = tensor.empty() : " + half,
           "%r = arith.constant dense<1.0> : " + half,
           std::string("%r = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>"),
           "%c = arith.constant 0.0 : f16\n%r = tensor.splat %c : " + half,
           "%c = arith.constant 0.0 : f16\n%r = linalg.fill ins(%c : f16) "
           "outs(%a : " +
               half + ") -> " + half,
           "%r = tensor.extract_slice %a[0, 8] [64, 8] [1, 1] : " + half +
               " to tensor<64x8xf16, #d0of2>",
           "%r = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 24] "
           ": " +
               half + " into tensor<64x2x24xf16, #d0of3>",
           std::string("%r = tensor.collapse_shape %b [[0, 1]] : "
                       "tensor<64x48xf16> into tensor<3072xf16>"),
           "%r = npu.redistribute %a : " + half + " to tensor<64x48xf16>",
           "%r = npu.distribution_cast %a : " + half + " to " + half,
           "%r = tensor.cast %a : " + half + " to tensor<64x?xf16>",
           std::string("%r = arith.constant 4 : index"),
           std::string("%c = arith.constant 4 : index\n%r = tensor.dim %b, %c "
                       ": tensor<64x48xf16>"),
           std::string("%c = arith.constant 4 : index\n%r = scf.for %i = %c to "
                       "%c step %c iter_args(%k = %b) -> tensor<64x48xf16> {\n"
                       "scf.yield %k : tensor<64x48xf16>\n}"),
           std::string("%r = func.call @given() : () -> tensor<64x48xf16>"),
       })
    EXPECT_EQ(costOf("%a: " + half + ", %b: tensor<64x48xf16>", body),
              ModelledCost())
        << body;
}

// What tiles cannot do part by part is done in DDR.
TEST_F(VectorCostsTest, InDdr) {
  EXPECT_EQ(costOf("%a: tensor<64x48xf16>", "%r = math.exp %a : "
                                            "tensor<64x48xf16>"),
            (ModelledCost{inDdr(6144), 0, 6144, 2 * 6144}));
  std::string half = "tensor<64x48xf16, #d0of2>";
  EXPECT_EQ(costOf("%a: " + half, "%r:2 = \"any.thing\"(%a) : (" + half +
                                      ") -> (" + half + ", tensor<?x3xi4>)"),
            (ModelledCost{inDdr(6144 + 2), 0, 6144 + 2, 2 * (6144 + 2)}));
  // No box of iterations writes the first five of eight entries.
  std::string uneven =
      "tensor<8xf16, #npu.layout<SEGMENTED, compute = [[0:5], [5:8]]>>";
  EXPECT_EQ(costOf("%a: tensor<2x4xf16, #two>, %b: " + uneven,
                   "%r = linalg.generic {indexing_maps = [affine_map<(i, j) "
                   "-> (i, j)>, affine_map<(i, j) -> (i * 4 + j)>], "
                   "iterator_types = [\"parallel\", \"parallel\"]} ins(%a : "
                   "tensor<2x4xf16, #two>) outs(%b : " +
                       uneven +
                       ") {\n^bb0(%x: f16, %y: f16):\n"
                       "  %s = arith.addf %x, %y : f16\n"
                       "  linalg.yield %s : f16\n} -> " +
                       uneven),
            (ModelledCost{inDdr(16), 0, 16, 2 * 16}));
}

// A tile that has nothing does nothing.
TEST_F(VectorCostsTest, EmptyParts) {
  std::string one = "tensor<1x48xf16, #npu.layout<SEGMENTED, tiles = [4, 1]>>";
  EXPECT_EQ(costOf("%a: " + one, "%r = math.exp %a : " + one),
            (ModelledCost{vector({.special = 1}, 48), 0, 0}));
  std::string none = "tensor<0x48xf16, #d0of2>";
  EXPECT_EQ(costOf("%a: " + none, "%r = math.exp %a : " + none),
            ModelledCost());
}

} // namespace
} // namespace npu
