// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzzer is as good as what it makes up: functions that are the same every
// time, that parse and verify, and that have everything in them. And what it
// writes out for people is small.

#include "npu-fuzz/Functions/ReduceFunction.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

TEST(Function, DependsOnSeedAndNumberAlone) {
  std::string text = randomFunction(3, 4).text;
  EXPECT_EQ(randomFunction(3, 4).text, text);
  EXPECT_NE(randomFunction(4, 3).text, text);
  EXPECT_NE(randomFunction(3, 5).text, text);
  EXPECT_NE(randomFunction(3, 4, FunctionFor::Prompts).text, text);
  // The upper halves count, too.
  EXPECT_NE(randomFunction(3 + (uint64_t{1} << 32), 4).text, text);
}

TEST(Function, IsAFunctionThatParsesAndVerifies) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  for (uint64_t number = 0; number < 500; ++number) {
    std::string text = randomFunction(1, number).text;
    ASSERT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(text, &context))
        << text;
  }
}

TEST(Function, HasEverythingInItSomewhere) {
  std::string all;
  bool exact = false, inexact = false;
  int parallel = 0;
  for (uint64_t number = 0; number < 2000; ++number) {
    MadeFunction function = randomFunction(1, number);
    (function.exact ? exact : inexact) = true;
    parallel += function.parallelTiles;
    all += function.text;
  }
  EXPECT_TRUE(exact && inexact);
  // Half of them run their tiles on threads.
  EXPECT_NEAR(parallel, 1000, 100);
  for (const char *word : {"linalg.add",
                           "arith.mulf %",
                           "math.exp %",
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
                           "linalg.reduce",
                           "arith.addf %",
                           "arith.maxsi %",
                           "arith.addi %",
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
                           "-d0 + 6",
                           "(d0, d0",
                           "-> (d1 * ",
                           " * 2 + 1",
                           ":2 = linalg.generic",
                           ": i1)",
                           "scf.if %",
                           ":2 = scf.if",
                           "{\n      scf.yield",
                           "scf.for",
                           "scf.while",
                           "scf.execute_region",
                           "call @of_",
                           "xi1, #npu.layout<SEGMENTED",
                           "arith.cmpf",
                           "arith.cmpi",
                           "arith.andi",
                           "arith.select %",
                           "xi4",
                           "xindex",
                           "tensor.bitcast",
                           "tensor.gather",
                           "tensor.extract %",
                           "scf.index_switch",
                           "default {",
                           "linalg.map",
                           "tensor.generate",
                           "tensor.from_elements %in",
                           "tensor.insert %in",
                           "tensor.insert_slice %extracted_slice into",
                           "%extracted_slice = tensor.extract_slice",
                           "tensor.yield %",
                           "tensor.splat %",
                           "= tensor.from_elements %arg",
                           "= tensor.insert %arg",
                           "call @with_",
                           "%in, %arg",
                           "arith.minnumf",
                           "arith.maxnumf %in",
                           "-0.000000e+00",
                           "tosa.tanh",
                           "tosa.maximum",
                           "tosa.cast",
                           "tosa.reduce_sum"})
    EXPECT_NE(all.find(word), std::string::npos) << word;
}

/// A third of the cases has kinds of its own, and inputs that stand out.
TEST(Function, HasRareKindsInAThirdOfTheCases) {
  int switches = 0, special = 0, scalars = 0, nothing = 0;
  for (uint64_t number = 0; number < 900; ++number) {
    MadeFunction function = randomFunction(1, number);
    const std::string &text = function.text;
    bool hasSwitch = text.find("scf.index_switch") != std::string::npos;
    if (number % 9 < 6) {
      EXPECT_FALSE(hasSwitch || function.special) << number;
      continue;
    }
    EXPECT_FALSE(function.special && function.exact);
    switches += hasSwitch;
    special += function.special;
    scalars += text.find("tensor.extract %arg") != std::string::npos;
    nothing += text.find("<0x") != std::string::npos ||
               text.find("x0x") != std::string::npos;
  }
  EXPECT_GE(switches, 20);
  EXPECT_GE(special, 60);
  EXPECT_GE(scalars, 40);
  EXPECT_GE(nothing, 40);
}

/// What padding is tried on stays what it was.
TEST(Function, HasNoControlFlowAndRunsInTurnForPrompts) {
  for (uint64_t number = 0; number < 300; ++number) {
    MadeFunction function = randomFunction(1, number, FunctionFor::Prompts);
    EXPECT_FALSE(function.parallelTiles);
    EXPECT_EQ(function.text.find("scf."), std::string::npos);
  }
}

/// Reduces the first function that has the word, as if each that has it failed.
MadeFunction reducedTo(const std::string &word) {
  auto fails = [&](const MadeFunction &function) {
    return function.text.find(word) != std::string::npos;
  };
  for (uint64_t number = 0;; ++number)
    if (MadeFunction function = randomFunction(2, number); fails(function))
      return reduceFunction(std::move(function), fails);
}

TEST(Reduction, LeavesOneOperation) {
  for (const char *word :
       {"linalg.matmul", "tensor.pad", "linalg.softmax", "npu.permute_cast",
        "linalg.conv_2d_nhwc_hwcf", "scf.if", "scf.while", "call @of",
        "floordiv", "arith.cmpi", "tensor.gather", "scf.index_switch",
        "linalg.map", "tensor.generate", "tensor.splat", "tosa.cast"}) {
    MadeFunction function = reducedTo(word);
    EXPECT_EQ(operationCount(function), 1u) << function.text;
    // A permute_cast is of a layout.
    if (std::string_view(word) != "npu.permute_cast")
      EXPECT_EQ(function.text.find("#npu.layout"), std::string::npos)
          << function.text;
  }
}

TEST(Reduction, LeavesThePartOfABodyThatMatters) {
  // A body that only yields, of a loop that only comes round.
  for (const char *word : {"scf.if", "scf.for", "scf.execute_region"}) {
    std::string text = reducedTo(word).text;
    EXPECT_EQ(text.find("arith.add"), std::string::npos) << text;
    EXPECT_EQ(text.find("npu.redistribute"), std::string::npos) << text;
    EXPECT_EQ(text.find("linalg."), std::string::npos) << text;
  }
}

TEST(Reduction, RunsTilesInTurnWhereThatFailsAsWell) {
  MadeFunction function = randomFunction(1, 0);
  function.parallelTiles = true;
  EXPECT_FALSE(reduceFunction(function, [](const MadeFunction &) {
                 return true;
               }).parallelTiles);
  EXPECT_TRUE(reduceFunction(function, [](const MadeFunction &candidate) {
                return candidate.parallelTiles;
              }).parallelTiles);
}

TEST(Reduction, LeavesThePartOfALayoutThatMatters) {
  std::string text = reducedTo("window = ").text;
  // Nothing is left between the two.
  EXPECT_NE(text.find(", tiles = ["), std::string::npos) << text;
  EXPECT_NE(text.find("], window = [["), std::string::npos) << text;
  EXPECT_EQ(text.find("split = ceil"), std::string::npos) << text;
  EXPECT_EQ(text.find("align = "), std::string::npos) << text;
  EXPECT_EQ(text.find("order = "), std::string::npos) << text;
}

TEST(Reduction, StopsAfterSoManyTries) {
  unsigned tries = 0;
  MadeFunction function = randomFunction(1, 1);
  MadeFunction same = reduceFunction(
      function, [&](const MadeFunction &) { return ++tries, false; }, 7);
  EXPECT_EQ(tries, 7u);
  EXPECT_EQ(same.text, function.text);
}

} // namespace
} // namespace npu
