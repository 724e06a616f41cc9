// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzzer decides by its own arithmetic which indices stay inside a tensor.
// Here MLIR's is asked whether the text means the same.

#include "npu-fuzz/Recipes/AffineIndex.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <set>

namespace npu {
namespace {

TEST(AffineIndex, IsWhatItsTextMeans) {
  mlir::MLIRContext context;
  RandomNumbers random(1, 0);
  const std::vector<int64_t> loops = {5, 4};
  std::set<AffineIndex::Form> forms;
  for (int i = 0; i < 300; ++i) {
    AffineIndex index = randomIndex(random, loops);
    forms.insert(index.form);
    std::string text = mapOf(loops.size(), std::span(&index, 1));
    auto attribute = mlir::dyn_cast_or_null<mlir::AffineMapAttr>(
        mlir::parseAttribute(text, &context));
    ASSERT_TRUE(attribute) << text;
    Range values = valuesOf(index, loops);
    int64_t least = values.end, most = values.begin;
    for (int64_t a = 0; a < loops[0]; ++a)
      for (int64_t b = 0; b < loops[1]; ++b) {
        int64_t point[] = {a, b};
        int64_t expected = attribute.getValue().compose({a, b})[0];
        ASSERT_EQ(index.at(point), expected) << text;
        least = std::min(least, expected);
        most = std::max(most, expected);
      }
    EXPECT_EQ(values, (Range{least, most + 1})) << text;
  }
  EXPECT_EQ(forms.size(), AffineIndex::FormCount);
}

TEST(AffineIndex, IsANumberOfNumbers) {
  AffineIndex index{AffineIndex::CombinedDiv, 1, 0, 3, 2};
  std::vector<int64_t> numbers;
  append(numbers, index);
  EXPECT_EQ(numbers.size(), kIndexNumbers);
  EXPECT_EQ(indexFrom(numbers).text(), index.text());
  EXPECT_EQ(index.text(), "(d1 * 3 + d0) floordiv 2");
}

} // namespace
} // namespace npu
