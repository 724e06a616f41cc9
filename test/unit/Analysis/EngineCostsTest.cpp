// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations a matrix engine does, named or not, and how much work the
// part of the busiest tile is, in the sizes that the formulas take
// (npu/Target/Costs.h).

#include "CostsFixture.h"

using namespace mlir;

namespace npu {
namespace {

class EngineCostsTest : public CostsFixture {
protected:
  int64_t contraction(const ContractionPart &part) const {
    return contractionCycles(figures, part);
  }

  /// Of a generic that sums up products of two tensors on one tile.
  int64_t sumOfProducts(const std::string &a, const std::string &b,
                        const std::string &c, const std::string &maps,
                        const std::string &loops) {
    auto tensor = [](const std::string &shape) {
      return "tensor<" + shape + ", #one>";
    };
    return costOf(
               "%a: " + tensor(a) + ", %b: " + tensor(b) + ", %c: " + tensor(c),
               "%r = linalg.generic {indexing_maps = [" + maps +
                   "], iterator_types = [" + loops + "]} ins(%a, %b : " +
                   tensor(a) + ", " + tensor(b) + ") outs(%c : " + tensor(c) +
                   ") {\n^bb0(%x: f16, %y: f16, %z: f16):\n"
                   "  %p = arith.mulf %y, %x : f16\n"
                   "  %s = arith.addf %p, %z : f16\n"
                   "  linalg.yield %s : f16\n} -> " +
                   tensor(c))
        .cycles;
  }
};

// 65 rows over two tiles are 33 and 32.
TEST_F(EngineCostsTest, Matmul) {
  ModelledCost cost =
      costOf("%a: tensor<65x32xf16, #d0of2>, %b: tensor<32x48xf16, #two>, "
             "%c: tensor<65x48xf16, #d0of2>",
             "%r = linalg.matmul ins(%a, %b : tensor<65x32xf16, #d0of2>, "
             "tensor<32x48xf16, #two>) outs(%c : tensor<65x48xf16, #d0of2>) -> "
             "tensor<65x48xf16, #d0of2>");
  EXPECT_EQ(cost, (ModelledCost{contraction({33, 32, 48, 16}), 0, 0}));
}

// A part of a split product, as legalization and assignment write it, is a
// product of its part of what is summed up: 16 of 32 terms on each tile.
TEST_F(EngineCostsTest, PartOfAMatmul) {
  ModelledCost cost =
      costOf("%a: tensor<24x32xf16, #d1of2>, %b: tensor<32x48xf16, #d0of2>, "
             "%k: tensor<16xi1>, %c: tensor<2x24x48xf16, #d0of3>",
             "%r = linalg.generic {indexing_maps = ["
             "affine_map<(p, m, n, k) -> (m, p * 16 + k)>, "
             "affine_map<(p, m, n, k) -> (p * 16 + k, n)>, "
             "affine_map<(p, m, n, k) -> (k)>, "
             "affine_map<(p, m, n, k) -> (p, m, n)>], iterator_types = "
             "[\"parallel\", \"parallel\", \"parallel\", \"reduction\"]} "
             "ins(%a, %b, %k : tensor<24x32xf16, #d1of2>, "
             "tensor<32x48xf16, #d0of2>, tensor<16xi1>) "
             "outs(%c : tensor<2x24x48xf16, #d0of3>) {\n"
             "^bb0(%x: f16, %y: f16, %w: i1, %z: f16):\n"
             "  %p = arith.mulf %x, %y : f16\n  %s = arith.addf %z, %p : f16\n"
             "  linalg.yield %s : f16\n} -> tensor<2x24x48xf16, #d0of3>");
  EXPECT_EQ(cost, (ModelledCost{contraction({24, 16, 48, 16}), 0, 0}));
}

// A part of a sum along rows is a sum along rows, and no pooling, although what
// it reads begins where the part does.
TEST_F(EngineCostsTest, PartOfASum) {
  ModelledCost cost =
      costOf("%a: tensor<24x32xf16, #d1of2>, %k: tensor<16xi1>, "
             "%c: tensor<2x24xf16, #d0of2>",
             "%r = linalg.generic {indexing_maps = ["
             "affine_map<(p, m, k) -> (m, p * 16 + k)>, "
             "affine_map<(p, m, k) -> (k)>, affine_map<(p, m, k) -> (p, m)>], "
             "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
             "ins(%a, %k : tensor<24x32xf16, #d1of2>, tensor<16xi1>) "
             "outs(%c : tensor<2x24xf16, #d0of2>) {\n"
             "^bb0(%x: f16, %w: i1, %z: f16):\n"
             "  %s = arith.addf %z, %x : f16\n"
             "  linalg.yield %s : f16\n} -> tensor<2x24xf16, #d0of2>");
  EXPECT_EQ(cost, (ModelledCost{vector({.reduce = 1}, 24 * 16), 0, 0}));
}

// Where the second tile has more, it is the busiest: columns 0:16 and 16:48.
TEST_F(EngineCostsTest, BusiestTile) {
  std::string columns = "#npu.layout<SEGMENTED, compute = [[0:64, 0:16], "
                        "[0:64, 16:48]]>";
  ModelledCost cost =
      costOf("%a: tensor<64x32xf16, #two>, %b: tensor<32x48xf16, #two>, "
             "%c: tensor<64x48xf16, " +
                 columns + ">",
             "%r = linalg.matmul ins(%a, %b : tensor<64x32xf16, #two>, "
             "tensor<32x48xf16, #two>) outs(%c : tensor<64x48xf16, " +
                 columns + ">) -> tensor<64x48xf16, " + columns + ">");
  EXPECT_EQ(cost, (ModelledCost{contraction({64, 32, 32, 16}), 1, 0}));
}

// Each matrix of a batch has weights of its own: two matrices on a tile.
TEST_F(EngineCostsTest, Batches) {
  EXPECT_EQ(
      costOf("%a: tensor<4x40x32xi8, #d0of3>, %b: tensor<4x32x48xi8, #d0of3>, "
             "%c: tensor<4x40x48xi32, #d0of3>",
             "%r = linalg.batch_matmul ins(%a, %b : "
             "tensor<4x40x32xi8, #d0of3>, tensor<4x32x48xi8, #d0of3>) "
             "outs(%c : tensor<4x40x48xi32, #d0of3>) -> "
             "tensor<4x40x48xi32, #d0of3>")
          .cycles,
      2 * contraction({40, 32, 48, 8}));
}

// Loops in another order, weights and result transposed, and a batch that
// shares the weights, which is rows as well.
TEST_F(EngineCostsTest, GenericContractions) {
  EXPECT_EQ(sumOfProducts("5x7x32xf16", "48x32xf16", "48x7x5xf16",
                          "affine_map<(k, n, m, b) -> (b, m, k)>, "
                          "affine_map<(k, n, m, b) -> (n, k)>, "
                          "affine_map<(k, n, m, b) -> (n, m, b)>",
                          "\"reduction\", \"parallel\", \"parallel\", "
                          "\"parallel\""),
            contraction({35, 32, 48, 16}));
  // Weights first.
  EXPECT_EQ(sumOfProducts("48x32xf16", "32x35xf16", "48x35xf16",
                          "affine_map<(n, m, k) -> (n, k)>, "
                          "affine_map<(n, m, k) -> (k, m)>, "
                          "affine_map<(n, m, k) -> (n, m)>",
                          "\"parallel\", \"parallel\", \"reduction\""),
            contraction({48, 32, 35, 16}));
  // Two reductions.
  EXPECT_EQ(sumOfProducts("35x4x8xf16", "4x8x48xf16", "35x48xf16",
                          "affine_map<(m, n, k, l) -> (m, k, l)>, "
                          "affine_map<(m, n, k, l) -> (k, l, n)>, "
                          "affine_map<(m, n, k, l) -> (m, n)>",
                          "\"parallel\", \"parallel\", \"reduction\", "
                          "\"reduction\""),
            contraction({35, 32, 48, 16}));
}

// One row, one column, or both.
TEST_F(EngineCostsTest, Vectors) {
  EXPECT_EQ(sumOfProducts("32xf16", "32x48xf16", "48xf16",
                          "affine_map<(n, k) -> (k)>, "
                          "affine_map<(n, k) -> (k, n)>, "
                          "affine_map<(n, k) -> (n)>",
                          "\"parallel\", \"reduction\""),
            contraction({1, 32, 48, 16}));
  EXPECT_EQ(sumOfProducts("48x32xf16", "32xf16", "48xf16",
                          "affine_map<(n, k) -> (n, k)>, "
                          "affine_map<(n, k) -> (k)>, "
                          "affine_map<(n, k) -> (n)>",
                          "\"parallel\", \"reduction\""),
            contraction({48, 32, 1, 16}));
  EXPECT_EQ(sumOfProducts("32xf16", "32xf16", "f16",
                          "affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, "
                          "affine_map<(k) -> ()>",
                          "\"reduction\""),
            contraction({1, 32, 1, 16}));
}

// No two results share a weight: this is no matrix work.
TEST_F(EngineCostsTest, RowsOfProducts) {
  EXPECT_EQ(sumOfProducts("48x32xf16", "48x32xf16", "48xf16",
                          "affine_map<(n, k) -> (n, k)>, "
                          "affine_map<(n, k) -> (n, k)>, "
                          "affine_map<(n, k) -> (n)>",
                          "\"parallel\", \"reduction\""),
            vector({.simple = 1, .reduce = 1}, 48 * 32));
}

// What is converted counts as what it was.
TEST_F(EngineCostsTest, ZeroPoints) {
  EXPECT_EQ(
      costOf("%a: tensor<40x32xi8, #one>, %b: tensor<32x48xi8, #one>, "
             "%c: tensor<40x48xi32, #one>, %z: i32",
             "%r = linalg.quantized_matmul ins(%a, %b, %z, %z : "
             "tensor<40x32xi8, #one>, tensor<32x48xi8, #one>, i32, i32) "
             "outs(%c : tensor<40x48xi32, #one>) -> tensor<40x48xi32, #one>")
          .cycles,
      contraction({40, 32, 48, 8}));
}

// Rows 0:4 and 4:7 of 7 by 7 pixels: 28 pixels.
TEST_F(EngineCostsTest, Convolutions) {
  EXPECT_EQ(
      costOf("%a: tensor<1x15x15x24xf16, #two>, %b: tensor<3x3x24x40xf16, "
             "#two>, %c: tensor<1x7x7x40xf16, #d1of4>",
             "%r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : "
             "tensor<2xi64>} ins(%a, %b : tensor<1x15x15x24xf16, #two>, "
             "tensor<3x3x24x40xf16, #two>) outs(%c : tensor<1x7x7x40xf16, "
             "#d1of4>) -> tensor<1x7x7x40xf16, #d1of4>")
          .cycles,
      contraction({28, 24, 40, 16, 9}));
  EXPECT_EQ(
      costOf("%a: tensor<2x24x9x9xf16, #two>, %b: tensor<40x24x3x3xf16, #two>, "
             "%c: tensor<2x40x7x7xf16, #d1of4>",
             "%r = linalg.conv_2d_nchw_fchw ins(%a, %b : "
             "tensor<2x24x9x9xf16, #two>, tensor<40x24x3x3xf16, #two>) "
             "outs(%c : tensor<2x40x7x7xf16, #d1of4>) -> "
             "tensor<2x40x7x7xf16, #d1of4>")
          .cycles,
      contraction({2 * 49, 24, 20, 16, 9}));
}

// Three groups of 8 input and 16 output channels.
TEST_F(EngineCostsTest, GroupedConvolution) {
  EXPECT_EQ(
      costOf("%a: tensor<1x3x8x9x9xf16, #one>, %b: tensor<16x3x8x3x3xf16, "
             "#one>, %c: tensor<1x3x16x7x7xf16, #one>",
             "%r = linalg.conv_2d_ngchw_fgchw ins(%a, %b : "
             "tensor<1x3x8x9x9xf16, #one>, tensor<16x3x8x3x3xf16, #one>) "
             "outs(%c : tensor<1x3x16x7x7xf16, #one>) -> "
             "tensor<1x3x16x7x7xf16, #one>")
          .cycles,
      3 * contraction({49, 8, 16, 16, 9}));
}

// The second tile makes rows 4:7 and reads rows 8:15; the first 0:4 and 0:9.
TEST_F(EngineCostsTest, Depthwise) {
  EXPECT_EQ(
      costOf("%a: tensor<1x15x15x24xf16, #two>, %b: tensor<3x3x24xf16, #two>, "
             "%c: tensor<1x7x7x24xf16, #d1of4>",
             "%r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<2> : "
             "tensor<2xi64>} ins(%a, %b : tensor<1x15x15x24xf16, #two>, "
             "tensor<3x3x24xf16, #two>) outs(%c : tensor<1x7x7x24xf16, "
             "#d1of4>) -> tensor<1x7x7x24xf16, #d1of4>")
          .cycles,
      depthwiseCycles(figures, {28, 9 * 15, 24, 9, 16}));
  EXPECT_EQ(
      costOf("%a: tensor<1x9x9x24xi8, #one>, %b: tensor<3x3x24x2xi8, #one>, "
             "%c: tensor<1x7x7x24x2xi32, #one>",
             "%r = linalg.depthwise_conv_2d_nhwc_hwcm ins(%a, %b : "
             "tensor<1x9x9x24xi8, #one>, tensor<3x3x24x2xi8, #one>) "
             "outs(%c : tensor<1x7x7x24x2xi32, #one>) -> "
             "tensor<1x7x7x24x2xi32, #one>")
          .cycles,
      depthwiseCycles(figures, {49, 81, 48, 9, 8}));
  // Groups of one input channel.
  EXPECT_EQ(
      costOf("%a: tensor<2x24x1x9x9xf16, #one>, %b: tensor<1x24x1x3x3xf16, "
             "#one>, %c: tensor<2x24x1x7x7xf16, #one>",
             "%r = linalg.conv_2d_ngchw_fgchw ins(%a, %b : "
             "tensor<2x24x1x9x9xf16, #one>, tensor<1x24x1x3x3xf16, #one>) "
             "outs(%c : tensor<2x24x1x7x7xf16, #one>) -> "
             "tensor<2x24x1x7x7xf16, #one>")
          .cycles,
      depthwiseCycles(figures, {2 * 49, 2 * 81, 24, 9, 16}));
}

TEST_F(EngineCostsTest, Pooling) {
  EXPECT_EQ(
      costOf("%a: tensor<2x15x15x24xf16, #two>, %w: tensor<3x3xf16, #two>, "
             "%c: tensor<2x7x7x24xf16, #d1of4>",
             "%r = linalg.pooling_nhwc_max {strides = dense<2> : "
             "tensor<2xi64>} ins(%a, %w : tensor<2x15x15x24xf16, #two>, "
             "tensor<3x3xf16, #two>) outs(%c : tensor<2x7x7x24xf16, #d1of4>) "
             "-> tensor<2x7x7x24xf16, #d1of4>")
          .cycles,
      poolingCycles(figures, {2 * 28, 2 * 9 * 15, 24, 9, 16}));
  EXPECT_EQ(costOf("%a: tensor<2x24x8x8xf16, #one>, %w: tensor<2x2xf16, #one>, "
                   "%c: tensor<2x24x7x7xf16, #one>",
                   "%r = linalg.pooling_nchw_sum ins(%a, %w : "
                   "tensor<2x24x8x8xf16, #one>, tensor<2x2xf16, #one>) "
                   "outs(%c : tensor<2x24x7x7xf16, #one>) -> "
                   "tensor<2x24x7x7xf16, #one>")
                .cycles,
            poolingCycles(figures, {2 * 49, 2 * 64, 24, 4, 16}));
}

TEST_F(EngineCostsTest, Elementwise) {
  EXPECT_EQ(costOf("%a: tensor<64x48xf16, #d0of2>",
                   "%r = arith.mulf %a, %a : tensor<64x48xf16, #d0of2>")
                .cycles,
            elementwiseCycles(figures, 32, 48, 16));
  EXPECT_EQ(
      costOf("%a: tensor<64x48xi8, #d1of2>, %b: tensor<64x48xi8, #d1of2>",
             "%r = linalg.max ins(%a, %b : tensor<64x48xi8, #d1of2>, "
             "tensor<64x48xi8, #d1of2>) outs(%a : tensor<64x48xi8, #d1of2>) "
             "-> tensor<64x48xi8, #d1of2>")
          .cycles,
      elementwiseCycles(figures, 64, 24, 8));
  // Both operands may have other positions than the result.
  EXPECT_EQ(costOf("%a: tensor<64x40xf16, #one>, %b: tensor<40x64xf16, #one>",
                   "%r = linalg.generic {indexing_maps = [affine_map<(i, j) "
                   "-> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types "
                   "= [\"parallel\", \"parallel\"]} ins(%a : "
                   "tensor<64x40xf16, #one>) outs(%b : tensor<40x64xf16, "
                   "#one>) {\n^bb0(%x: f16, %y: f16):\n"
                   "  %s = arith.subf %x, %y : f16\n  linalg.yield %s : f16\n"
                   "} -> tensor<40x64xf16, #one>")
                .cycles,
            elementwiseCycles(figures, 40, 64, 16));
}

// Channels are what lies innermost in memory.
TEST_F(EngineCostsTest, ElementwiseChannels) {
  std::string nhwc =
      "tensor<1x24x8x5xf16, #npu.layout<DUPLICATED, tiles = 1, order = NHWC>>";
  EXPECT_EQ(costOf("%a: " + nhwc, "%r = arith.addf %a, %a : " + nhwc).cycles,
            elementwiseCycles(figures, 40, 24, 16));
  std::string nchw = "tensor<1x24x8x5xf16, #one>";
  EXPECT_EQ(costOf("%a: " + nchw, "%r = arith.addf %a, %a : " + nchw).cycles,
            elementwiseCycles(figures, 24 * 8, 5, 16));
}

} // namespace
} // namespace npu
