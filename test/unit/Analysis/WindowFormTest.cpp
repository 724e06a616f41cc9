// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions slide a window over a dimension, and by which numbers.

#include "npu/Interfaces/LinearForm.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace npu {
namespace {

class WindowFormTest : public ::testing::Test {
protected:
  MLIRContext context;
  AffineExpr d0 = getAffineDimExpr(0, &context);
  AffineExpr d1 = getAffineDimExpr(1, &context);
  AffineExpr d2 = getAffineDimExpr(2, &context);
};

TEST_F(WindowFormTest, TheLoopThatReducesIsTheTap) {
  for (auto [output, tap] : {std::pair(0u, 1u), std::pair(1u, 0u)}) {
    AffineExpr outputs = output == 0 ? d0 : d1, taps = output == 0 ? d1 : d0;
    auto form = asWindow(outputs * 2 + taps * 3 - 1, {tap});
    ASSERT_TRUE(form);
    EXPECT_EQ(form->output, output);
    EXPECT_EQ(form->tap, tap);
    EXPECT_EQ(form->stride, 2);
    EXPECT_EQ(form->dilation, 3);
    EXPECT_EQ(form->offset, -1);
  }
}

TEST_F(WindowFormTest, OthersAreNoWindows) {
  EXPECT_FALSE(asWindow(d0, {0}));
  EXPECT_FALSE(asWindow(d0 + 3, {}));
  // No taps, or nothing but taps.
  EXPECT_FALSE(asWindow(d0 + d1, {2}));
  EXPECT_FALSE(asWindow(d0 + d1, {0, 1}));
  // Backwards.
  EXPECT_FALSE(asWindow(d0 - d1, {1}));
  EXPECT_FALSE(asWindow(d1 - d0 * 2, {1}));
  EXPECT_FALSE(asWindow(d0 + d1 + d2, {1}));
  EXPECT_FALSE(asWindow(d0.floorDiv(2) + d1, {1}));
}

} // namespace
} // namespace npu
