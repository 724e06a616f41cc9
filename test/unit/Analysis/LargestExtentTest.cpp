// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest value over all prompt lengths is found at few of them; here it is
// counted at every one, for random expressions.

#include "npu/Analysis/Positions/LargestExtent.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;

namespace npu {
namespace {

class LargestExtent : public ::testing::Test {
protected:
  AffineExpr length() { return getAffineSymbolExpr(0, &context); }
  AffineExpr number(int64_t value) {
    return getAffineConstantExpr(value, &context);
  }

  /// Upstream's own evaluation.
  int64_t at(AffineExpr expr, int64_t length) {
    Attribute value = IntegerAttr::get(IndexType::get(&context), length);
    SmallVector<int64_t> results;
    EXPECT_NE(AffineMap::get(0, 1, expr).partialConstantFold({value}, &results),
              AffineMap());
    EXPECT_EQ(results.size(), 1u);
    return results.front();
  }

  AffineExpr random(int depth) {
    auto pick = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(generator);
    };
    if (depth == 0)
      return pick(0, 3) == 0 ? number(pick(-20, 20)) : length();
    AffineExpr a = random(depth - 1);
    switch (pick(0, 5)) {
    case 0:
      return a + random(depth - 1);
    case 1:
      return a - random(depth - 1);
    case 2:
      return a * pick(-5, 7);
    case 3:
      return a.floorDiv(pick(1, 6));
    case 4:
      return a.ceilDiv(pick(1, 6));
    default:
      return a % pick(1, 6);
    }
  }

  MLIRContext context;
  std::mt19937 generator{20250622};
};

TEST_F(LargestExtent, OfWhatFallsAndComesBack) {
  EXPECT_EQ(largestOverLengths(17 - length(), {1, 8}), 16);
  EXPECT_EQ(largestOverLengths(length() % 4, {1, 8}), 3);
  EXPECT_EQ(largestOverLengths(length() % 4, {1, 2}), 2);
  EXPECT_EQ(largestOverLengths(length() * 7 % 5, {1, 3}), 4);
  EXPECT_EQ(smallestOverLengths(length() - 1, {1, 8}), 0);
  // Divided by the length itself: every length is looked at.
  EXPECT_EQ(largestOverLengths(number(17) % length(), {1, 12}), 8);
  EXPECT_EQ(largestOverLengths(number(12).floorDiv(length()), {1, 12}), 12);
}

TEST_F(LargestExtent, OfTheLongestPrompts) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(largestOverLengths(length() * 3 + 1, {1, most}), most * 3 + 1);
  EXPECT_EQ(largestOverLengths(length() % 1000, {1, most}), 999);
  EXPECT_EQ(largestOverLengths(length() - length() % 128, {1, most}),
            most - 127);
}

TEST_F(LargestExtent, IsNotGuessed) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(largestOverLengths(number(17) % length(), {1, most}), std::nullopt);
  EXPECT_EQ(largestOverLengths(number(17).floorDiv(length() - 1), {1, 8}),
            std::nullopt);
  EXPECT_EQ(largestOverLengths(length() * (most * most), {1, most}),
            std::nullopt);
  EXPECT_EQ(largestOverLengths(length(), {1, 0}), std::nullopt);
}

TEST_F(LargestExtent, OfSeveralPrompts) {
  AffineExpr other = getAffineSymbolExpr(1, &context);
  AffineExpr both = length() + other;
  EXPECT_EQ(largestOverLengths(both, {1, 8}), 16);
  EXPECT_EQ(smallestOverLengths(both, {1, 8}), 2);
  EXPECT_EQ(largestOverLengths(-both, {1, 8}), -2);
  EXPECT_EQ(smallestOverLengths(-both, {1, 8}), -16);
  EXPECT_EQ(largestOverLengths(20 - both * 2, {1, 8}), 16);
  EXPECT_EQ(smallestOverLengths(20 - both * 2, {1, 8}), -12);
  EXPECT_EQ(smallestOverLengths((-both).floorDiv(3), {1, 8}), -6);
  EXPECT_EQ(largestOverLengths((-both).ceilDiv(3), {1, 8}), 0);
  EXPECT_EQ(smallestOverLengths(-(both % 5), {1, 8}), -4);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  // A cache is empty at first.
  EXPECT_EQ(smallestOverLengths(both, {0, 8}), 0);
  EXPECT_EQ(largestOverLengths(17 - other, {0, 8}), 17);
  EXPECT_EQ(largestOverLengths(number(17) % (other + 1), {0, 0}), std::nullopt);
  EXPECT_EQ(largestOverLengths(both * (most * most), {1, most}), std::nullopt);
}

TEST_F(LargestExtent, AsCountedAtEveryLength) {
  for (int round = 0; round < 4000; ++round) {
    AffineExpr expr = random(1 + round % 4);
    int64_t maxLength = 1 + round % 90;
    int64_t largest = at(expr, 1), smallest = largest;
    for (int64_t length = 2; length <= maxLength; ++length) {
      largest = std::max(largest, at(expr, length));
      smallest = std::min(smallest, at(expr, length));
    }
    std::string text;
    llvm::raw_string_ostream(text) << expr << " to " << maxLength;
    EXPECT_EQ(largestOverLengths(expr, {1, maxLength}), largest) << text;
    EXPECT_EQ(smallestOverLengths(expr, {1, maxLength}), smallest) << text;
  }
}

} // namespace
} // namespace npu
