// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions of a contraction's tensors are channels, and orders that
// have them innermost.

#include "npu/Analysis/Costs/EngineOrders.h"
#include "CostsFixture.h"

using namespace mlir;

namespace npu {
namespace {

class EngineOrdersTest : public CostsFixture {
protected:
  /// "1 0 - 1": the channels of three operands, and of the result. What has
  /// none is "-", what has two is "1,2".
  std::string channels(const std::string &op, const std::string &a,
                       const std::string &b, const std::string &c,
                       const std::string &attributes = "",
                       const std::string &region = "") {
    std::string x = "tensor<" + a + ">", y = "tensor<" + b + ">",
                z = "tensor<" + c + ">";
    Operation *made =
        lastOf("%x: " + x + ", %y: " + y + ", %z: " + z,
               "%r = " + op + " " + attributes + " ins(%x, %y : " + x + ", " +
                   y + ") outs(%z : " + z + ") " + region + " -> " + z);
    std::optional<EngineOrders> orders =
        made ? engineOrdersOf(made) : std::nullopt;
    if (!orders)
      return "none";
    std::string text;
    for (const EngineOrders::Dimensions &dims : orders->operands)
      text += (dims.empty() ? "-" : joined(dims)) + " ";
    return text + (orders->result.empty() ? "-" : joined(orders->result));
  }

  /// Of a generic that sums up products.
  std::string ofProducts(const std::string &maps, const std::string &loops,
                         const std::string &a, const std::string &b,
                         const std::string &c) {
    return channels("linalg.generic", a, b, c,
                    "{indexing_maps = [" + maps + "], iterator_types = [" +
                        loops + "]}",
                    "{\n^bb0(%l: f16, %m: f16, %n: f16):\n"
                    "  %p = arith.mulf %l, %m : f16\n"
                    "  %s = arith.addf %n, %p : f16\n"
                    "  linalg.yield %s : f16\n}");
  }

  static std::string joined(const EngineOrders::Dimensions &dims) {
    std::string text;
    for (int64_t dim : dims)
      text += (text.empty() ? "" : ",") + std::to_string(dim);
    return text;
  }
};

TEST_F(EngineOrdersTest, NamedContractions) {
  EXPECT_EQ(channels("linalg.matmul", "8x4xf16", "4x6xf16", "8x6xf16"),
            "1 0 - 1");
  EXPECT_EQ(
      channels("linalg.batch_matmul", "3x8x4xf16", "3x4x6xf16", "3x8x6xf16"),
      "2 1 - 2");
  EXPECT_EQ(channels("linalg.matvec", "8x4xf16", "4xf16", "8xf16"), "1 0 - -");
}

TEST_F(EngineOrdersTest, Convolutions) {
  EXPECT_EQ(channels("linalg.conv_2d_nhwc_hwcf", "1x8x8x4xf16", "3x3x4x6xf16",
                     "1x6x6x6xf16"),
            "3 2 - 3");
  EXPECT_EQ(channels("linalg.conv_2d_nchw_fchw", "1x4x8x8xf16", "6x4x3x3xf16",
                     "1x6x6x6xf16"),
            "1 1 - 1");
  // A group stays where it is.
  EXPECT_EQ(channels("linalg.conv_2d_ngchw_fgchw", "1x2x4x8x8xf16",
                     "6x2x4x3x3xf16", "1x2x6x6x6xf16"),
            "2 2 - 2");
}

TEST_F(EngineOrdersTest, Depthwise) {
  EXPECT_EQ(channels("linalg.depthwise_conv_2d_nchw_chw", "1x4x8x8xf16",
                     "4x3x3xf16", "1x4x6x6xf16"),
            "1 0 - 1");
  EXPECT_EQ(channels("linalg.depthwise_conv_2d_nhwc_hwcm", "1x8x8x4xf16",
                     "3x3x4x2xf16", "1x6x6x4x2xf16"),
            "3 2 - 3,4");
}

// Both tensors have their channels in the order of the loops.
TEST_F(EngineOrdersTest, SeveralChannels) {
  EXPECT_EQ(ofProducts("affine_map<(m, n, k, l) -> (l, m, k)>, "
                       "affine_map<(m, n, k, l) -> (k, l, n)>, "
                       "affine_map<(m, n, k, l) -> (n, m)>",
                       "\"parallel\", \"parallel\", \"reduction\", "
                       "\"reduction\"",
                       "5x8x4xf16", "4x5x6xf16", "6x8xf16"),
            "2,0 0,1 - 0");
}

// What is summed up of one tensor alone is no channel that both share.
TEST_F(EngineOrdersTest, OfOneTensor) {
  EXPECT_EQ(ofProducts("affine_map<(m, n, k, l) -> (l, m, k)>, "
                       "affine_map<(m, n, k, l) -> (k, n)>, "
                       "affine_map<(m, n, k, l) -> (m, n)>",
                       "\"parallel\", \"parallel\", \"reduction\", "
                       "\"reduction\"",
                       "5x8x4xf16", "4x6xf16", "8x6xf16"),
            "2 0 - 1");
}

TEST_F(EngineOrdersTest, NoContraction) {
  EXPECT_EQ(channels("linalg.add", "8x4xf16", "8x4xf16", "8x4xf16"), "none");
  EXPECT_EQ(channels("linalg.pooling_nhwc_max", "1x8x8x4xf16", "2x2xf16",
                     "1x7x7x4xf16"),
            "none");
}

TEST_F(EngineOrdersTest, Innermost) {
  RankedTensorType image = type("tensor<2x4x8x8xf16>");
  EXPECT_EQ(withChannelsInnermost(image, {0, 1, 2, 3}, {1}),
            (Permutation{0, 2, 3, 1}));
  // The others stay in the order that they are in.
  EXPECT_EQ(withChannelsInnermost(image, {3, 1, 0, 2}, {1}),
            (Permutation{3, 0, 2, 1}));
  EXPECT_EQ(withChannelsInnermost(image, {0, 1, 2, 3}, {2, 1}),
            (Permutation{0, 3, 2, 1}));
  // Where no address changes, the order is as good.
  EXPECT_EQ(withChannelsInnermost(image, {0, 2, 3, 1}, {1}),
            (Permutation{0, 2, 3, 1}));
  EXPECT_EQ(
      withChannelsInnermost(type("tensor<2x4x1x1xf16>"), {0, 1, 2, 3}, {1}),
      (Permutation{0, 1, 2, 3}));
}

} // namespace
} // namespace npu
