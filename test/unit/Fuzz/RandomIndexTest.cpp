// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzzer decides by its own arithmetic which indices stay inside a tensor.
// Here MLIR's is asked whether the values are the same.

#include "npu-fuzz/Functions/RandomIndex.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <set>

namespace npu {
namespace {

TEST(RandomIndex, HasTheValuesThatMlirFinds) {
  mlir::MLIRContext context;
  RandomNumbers random(1, 0);
  const std::vector<int64_t> loops = {5, 4};
  std::set<std::string> forms;
  for (int i = 0; i < 300; ++i) {
    mlir::AffineExpr index = randomIndex(random, loops, &context);
    auto map = mlir::AffineMap::get(2, 0, index);
    Range values = valuesOf(index, loops);
    int64_t least = values.end, most = values.begin;
    for (int64_t a = 0; a < loops[0]; ++a)
      for (int64_t b = 0; b < loops[1]; ++b) {
        int64_t point[] = {a, b};
        int64_t expected = map.compose({a, b})[0];
        ASSERT_EQ(valueAt(index, point), expected);
        least = std::min(least, expected);
        most = std::max(most, expected);
      }
    EXPECT_EQ(values, (Range{least, most + 1}));
  }
}

TEST(RandomIndex, StaysWithinAnExtent) {
  mlir::MLIRContext context;
  RandomNumbers random(1, 0);
  const std::vector<int64_t> loops = {5, 4};
  for (int i = 0; i < 300; ++i)
    if (auto index = randomIndexWithin(random, loops, 4, &context)) {
      Range values = valuesOf(*index, loops);
      EXPECT_GE(values.begin, 0);
      EXPECT_LE(values.end, 4);
    }
}

} // namespace
} // namespace npu
