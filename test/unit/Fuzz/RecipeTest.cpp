// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzzer is as good as what it makes up: functions that are the same every
// time, that parse and verify, and that have everything in them. And what it
// writes out for people is small.

#include "npu-fuzz/Cases/FunctionCase.h"
#include "npu-fuzz/Recipes/ReduceRecipe.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(Recipe, DependsOnSeedAndNumberAlone) {
  std::string text = toText(randomRecipe(3, 4));
  EXPECT_EQ(toText(randomRecipe(3, 4)), text);
  EXPECT_NE(toText(randomRecipe(4, 3)), text);
  EXPECT_NE(toText(randomRecipe(3, 5)), text);
  EXPECT_NE(toText(randomRecipe(3, 4, RecipeFor::Prompts)), text);
  // The upper halves count, too.
  EXPECT_NE(toText(randomRecipe(3 + (uint64_t{1} << 32), 4)), text);
}

TEST(Recipe, IsAFunctionThatParsesAndVerifies) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  for (uint64_t number = 0; number < 500; ++number) {
    Recipe recipe = randomRecipe(1, number);
    std::string text = toText(recipe, context);
    ASSERT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(text, &context))
        << text;
    ASSERT_TRUE(inferFacts(recipe));
  }
}

TEST(Recipe, HasEverythingInItSomewhere) {
  std::string all;
  bool exact = false, inexact = false;
  int parallel = 0;
  for (uint64_t number = 0; number < 2000; ++number) {
    Recipe recipe = randomRecipe(1, number);
    (recipe.exact ? exact : inexact) = true;
    parallel += recipe.parallelTiles;
    all += toText(recipe);
  }
  EXPECT_TRUE(exact && inexact);
  // Half of them run their tiles on threads.
  EXPECT_NEAR(parallel, 1000, 100);
  for (const char *word : {"linalg.add",
                           "arith.mulf %v",
                           "math.exp %v",
                           "linalg.generic",
                           "linalg.matmul",
                           "linalg.batch_matmul",
                           "linalg.dot",
                           "linalg.conv_1d_nwc_wcf",
                           "conv_2d_nchw_fchw",
                           "conv_2d_nhwc_hwcf",
                           "depthwise_conv",
                           "pooling_nhwc_max",
                           "pooling_nchw_sum",
                           "strides = dense<[2, 1]>",
                           "linalg.softmax",
                           "linalg.reduce { arith.addf }",
                           "{ arith.maxsi }",
                           "{ arith.addi }",
                           "linalg.transpose",
                           "linalg.broadcast",
                           "npu.permute_cast",
                           "tensor.expand_shape",
                           "collapse_shape",
                           "tensor.extract_slice",
                           "insert_slice",
                           "tensor.pad",
                           "tensor.concat",
                           "npu.redistribute",
                           "tensor.cast",
                           "npu.distribution_cast",
                           "arith.constant dense",
                           "linalg.index",
                           "arith.truncf",
                           "arith.sitofp",
                           "x0x",
                           "tensor<f32",
                           "xf16",
                           "xbf16",
                           "xi8",
                           "xi32",
                           "xf64",
                           "<SEGMENTED,",
                           "<OVERLAPPED,",
                           "<DUPLICATED,",
                           "SEGMENTED|DUPLICATED",
                           "SEGMENTED|MULTICASTED",
                           "window = ",
                           "split = ceil",
                           "copies = ",
                           "align = ",
                           "major = ",
                           "compute = ",
                           "memory = ",
                           "order = ",
                           ") floordiv 7",
                           " ceildiv ",
                           ") mod 3",
                           " floordiv 2) * 2",
                           "7 - d0",
                           "(d0, d0",
                           "-> (d1 * ",
                           " * 2 + 1",
                           ":2 = linalg.generic",
                           ": i1)\n    ->",
                           "scf.if %v",
                           ":2 = scf.if",
                           "{\n  scf.yield",
                           "scf.for",
                           "scf.while",
                           "scf.execute_region",
                           "func.call @of_",
                           "xi1, #npu.layout<SEGMENTED",
                           "arith.cmpf",
                           "arith.cmpi",
                           "arith.andi",
                           "arith.select %v",
                           "xi4",
                           "xindex",
                           "tensor.bitcast",
                           "tensor.gather",
                           "tensor.extract %v",
                           "scf.index_switch",
                           "\n  default {",
                           "linalg.map",
                           "tensor.generate",
                           "%both = tensor.from_elements",
                           "%all = tensor.insert ",
                           "%all = tensor.insert_slice",
                           "%part = tensor.extract_slice",
                           "  tensor.yield %count",
                           "tensor.splat %v",
                           "= tensor.from_elements %v",
                           "= tensor.insert %v",
                           "func.call @with_",
                           "%in0, %v",
                           "arith.minnumf",
                           "{ arith.maxnumf }",
                           "-0.0",
                           "tosa.tanh",
                           "tosa.maximum",
                           "tosa.cast",
                           "tosa.reduce_sum"})
    EXPECT_NE(all.find(word), std::string::npos) << word;
}

/// A third of the cases has kinds of its own, and inputs that stand out.
TEST(Recipe, HasRareKindsInAThirdOfTheCases) {
  int switches = 0, special = 0, scalars = 0, nothing = 0;
  for (uint64_t number = 0; number < 900; ++number) {
    Recipe recipe = randomRecipe(1, number);
    std::string text = toText(recipe);
    bool hasSwitch = text.find("scf.index_switch") != std::string::npos;
    if (number % 9 < 6) {
      EXPECT_FALSE(hasSwitch || recipe.special) << number;
      continue;
    }
    EXPECT_FALSE(recipe.special && recipe.exact);
    switches += hasSwitch;
    special += recipe.special;
    std::vector<ValueFacts> facts = *inferFacts(recipe);
    bool returnsScalar = false, hasNothing = false;
    for (unsigned result : recipe.results)
      returnsScalar |= facts[result].scalar;
    for (const ValueFacts &value : facts)
      hasNothing |= Box::whole(value.shape).volume() == 0;
    scalars += returnsScalar;
    nothing += hasNothing;
  }
  EXPECT_GE(switches, 20);
  EXPECT_GE(special, 60);
  EXPECT_GE(scalars, 40);
  EXPECT_GE(nothing, 40);
}

/// What padding is tried on stays what it was.
TEST(Recipe, HasNoControlFlowAndRunsInTurnForPrompts) {
  for (uint64_t number = 0; number < 300; ++number) {
    Recipe recipe = randomRecipe(1, number, RecipeFor::Prompts);
    EXPECT_FALSE(recipe.parallelTiles);
    EXPECT_EQ(toText(recipe).find("scf."), std::string::npos);
  }
}

/// Reduces the first recipe that has the word, as if each that has it failed.
Recipe reducedTo(const std::string &word) {
  auto fails = [&](const Recipe &recipe) {
    return toText(recipe).find(word) != std::string::npos;
  };
  for (uint64_t number = 0;; ++number)
    if (Recipe recipe = randomRecipe(1, number); fails(recipe))
      return reduceRecipe(std::move(recipe), fails);
}

TEST(Reduction, LeavesOneOperation) {
  for (const char *word :
       {"linalg.matmul", "tensor.pad", "linalg.softmax", "npu.permute_cast",
        "linalg.conv_2d_nhwc_hwcf", "scf.if", "scf.while", "func.call",
        "floordiv", "arith.cmpi", "tensor.gather", "scf.index_switch",
        "linalg.map", "tensor.generate", "tensor.splat", "tosa.cast"}) {
    Recipe recipe = reducedTo(word);
    EXPECT_EQ(operationCount(recipe), 1u) << toText(recipe);
    EXPECT_EQ(recipe.results.size(), 1u);
    EXPECT_EQ(toText(recipe).find("#npu.layout"), std::string::npos)
        << toText(recipe);
  }
}

TEST(Reduction, LeavesThePartOfABodyThatMatters) {
  // A body that only yields, of a loop that only comes round.
  for (const char *word : {"scf.if", "scf.for", "scf.execute_region"}) {
    std::string text = toText(reducedTo(word));
    EXPECT_EQ(text.find("arith.add"), std::string::npos) << text;
    EXPECT_EQ(text.find("npu.redistribute"), std::string::npos) << text;
    EXPECT_EQ(text.find("linalg."), std::string::npos) << text;
  }
}

TEST(Reduction, RunsTilesInTurnWhereThatFailsAsWell) {
  Recipe recipe = randomRecipe(1, 0);
  recipe.parallelTiles = true;
  EXPECT_FALSE(
      reduceRecipe(recipe, [](const Recipe &) { return true; }).parallelTiles);
  EXPECT_TRUE(reduceRecipe(recipe, [](const Recipe &candidate) {
                return candidate.parallelTiles;
              }).parallelTiles);
}

TEST(Reduction, LeavesThePartOfALayoutThatMatters) {
  std::string text = toText(reducedTo("window = "));
  EXPECT_NE(text.find("<OVERLAPPED, tiles = ["), std::string::npos) << text;
  EXPECT_EQ(text.find("split = ceil"), std::string::npos) << text;
  EXPECT_EQ(text.find("align = "), std::string::npos) << text;
  EXPECT_EQ(text.find("order = "), std::string::npos) << text;
}

TEST(Reduction, StopsAfterSoManyTries) {
  unsigned tries = 0;
  Recipe recipe = randomRecipe(1, 1);
  std::string text = toText(recipe);
  Recipe same =
      reduceRecipe(recipe, [&](const Recipe &) { return ++tries, false; }, 7);
  EXPECT_EQ(tries, 7u);
  EXPECT_EQ(toText(same), text);
}

} // namespace
} // namespace npu
