// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of magnitudes decide whether a function is compared at all: one that
// is too small lets rounding pass for a defect, one that is too large keeps
// functions from being made up.

#include "npu-fuzz/Functions/FunctionMaker.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

/// The bound of what the body of `main` returns, whose arguments are %x, a
/// tensor<4x8xf32>, and %h, a tensor<4x8xf16>; nothing where it is refused.
std::optional<double> boundOf(const std::string &body, const std::string &type,
                              bool isExact = false) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<4x8xf32>, %h: tensor<4x8xf16>) -> " + type +
          " {\n" + body + "\nreturn %r : " + type + "\n}",
      &makingContext());
  if (!module)
    return -1;
  mlir::Block &block =
      module->lookupSymbol<mlir::func::FuncOp>("main").getBody().front();
  Magnitudes magnitudes;
  magnitudes.isExact = isExact;
  for (mlir::Operation &op : block.without_terminator())
    if (!magnitudes.learn(&op))
      return std::nullopt;
  return magnitudes.of(block.getTerminator()->getOperand(0));
}

std::string reduction(const char *combiner, double begin) {
  return "%c = arith.constant " + std::to_string(begin) +
         " : f32\n%e = tensor.empty() : tensor<4xf32>\n"
         "%i = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> "
         "tensor<4xf32>\n%r = linalg.reduce { " +
         combiner +
         " } ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) "
         "dimensions = [1]";
}

TEST(Magnitudes, OfReductionsFollowFromTheirTerms) {
  EXPECT_EQ(boundOf(reduction("arith.addf", 0), "tensor<4xf32>"), 32);
  EXPECT_EQ(boundOf(reduction("arith.addf", 3), "tensor<4xf32>"), 35);
  EXPECT_EQ(boundOf(reduction("arith.maximumf", -9), "tensor<4xf32>"), 9);
  EXPECT_EQ(boundOf(reduction("arith.minimumf", 0), "tensor<4xf32>"), 4);
}

std::string loop(const char *times) {
  return std::string("%a = arith.constant 0 : index\n"
                     "%b = arith.constant ") +
         times +
         " : index\n%c = arith.constant 1 : index\n"
         "%r = scf.for %i = %a to %b step %c iter_args(%t = %x) -> "
         "(tensor<4x8xf32>) {\n%s = arith.addf %t, %t : tensor<4x8xf32>\n"
         "scf.yield %s : tensor<4x8xf32>\n}";
}

TEST(Magnitudes, OfLoopsFollowFromTheirIterations) {
  EXPECT_EQ(boundOf(loop("3"), "tensor<4x8xf32>"), 32);
  EXPECT_EQ(boundOf(loop("0"), "tensor<4x8xf32>"), 4);
}

TEST(Magnitudes, RefuseWhatIsTooLargeForTheType) {
  std::string squared = "%r = arith.mulf %h, %h : tensor<4x8xf16>";
  std::string fourth = "%s = arith.mulf %h, %h : tensor<4x8xf16>\n"
                       "%t = arith.mulf %s, %s : tensor<4x8xf16>\n"
                       "%u = arith.mulf %t, %s : tensor<4x8xf16>\n"
                       "%r = arith.mulf %u, %h : tensor<4x8xf16>";
  EXPECT_EQ(boundOf(squared, "tensor<4x8xf16>"), 16);
  EXPECT_EQ(boundOf(fourth, "tensor<4x8xf16>"), std::nullopt);
  // Whole numbers of f16 are exact up to 2048.
  EXPECT_EQ(boundOf("%s = arith.mulf %h, %h : tensor<4x8xf16>\n"
                    "%t = arith.mulf %s, %s : tensor<4x8xf16>\n"
                    "%r = arith.mulf %t, %s : tensor<4x8xf16>",
                    "tensor<4x8xf16>", true),
            std::nullopt);
}

TEST(Magnitudes, RefuseWhatRoundsWhereFloatsHaveToBeExact) {
  std::string rounds = "%r = math.tanh %x : tensor<4x8xf32>",
              named = "%e = tensor.empty() : tensor<4x8xf32>\n"
                      "%r = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : "
                      "tensor<4x8xf32>) -> tensor<4x8xf32>";
  EXPECT_EQ(boundOf(rounds, "tensor<4x8xf32>"), 1);
  EXPECT_NE(boundOf(named, "tensor<4x8xf32>"), std::nullopt);
  EXPECT_EQ(boundOf(rounds, "tensor<4x8xf32>", true), std::nullopt);
  EXPECT_EQ(boundOf(named, "tensor<4x8xf32>", true), std::nullopt);
  EXPECT_EQ(
      boundOf("%r = math.absf %x : tensor<4x8xf32>", "tensor<4x8xf32>", true),
      4);
}

} // namespace
} // namespace npu
