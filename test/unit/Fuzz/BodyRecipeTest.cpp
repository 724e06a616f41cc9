// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are made of regions: the same every time, legal as they are,
// with everything in them somewhere, and smaller after a reduction.

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

TEST(BodyRecipe, DependsOnSeedAndNumberAlone) {
  for (auto make : {randomPromptBodies, randomPrefillBodies}) {
    std::string text = toText(make(3, 4));
    EXPECT_EQ(toText(make(3, 4)), text);
    EXPECT_NE(toText(make(4, 3)), text);
    EXPECT_NE(toText(make(3, 5)), text);
  }
}

TEST(BodyRecipe, IsAFunctionThatParsesAndVerifies) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  for (auto make : {randomPromptBodies, randomPrefillBodies})
    for (uint64_t number = 0; number < 1000; ++number) {
      std::string text = toText(make(1, number));
      ASSERT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(text, &context))
          << number << "\n"
          << text;
    }
}

std::string many(Recipe (*make)(uint64_t, uint64_t)) {
  std::string all;
  for (uint64_t number = 0; number < 3000; ++number)
    all += toText(make(1, number));
  return all;
}

TEST(BodyRecipe, HasEverythingInItSomewhere) {
  std::string all = many(randomPromptBodies);
  for (const char *predicate :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) {
    // Loop with loop, with a number or an expression, with the length.
    EXPECT_NE(all.find(std::string("cmpi ") + predicate + ", %i0, %i1"),
              std::string::npos);
    EXPECT_NE(all.find(std::string("cmpi ") + predicate + ", %i0, %n"),
              std::string::npos);
    EXPECT_NE(all.find(std::string("cmpi ") + predicate + ", %i1, %v"),
              std::string::npos)
        << predicate;
  }
  for (const char *word : {"0xFF800000",
                           "0x7F800000",
                           "0x7FC00000",
                           "constant -0.0",
                           "math.log %in0",
                           "math.exp",
                           "arith.divf",
                           "arith.cmpf uno",
                           "arith.divsi",
                           "arith.divui",
                           "arith.remsi",
                           "arith.remui",
                           "arith.floordivsi",
                           "arith.ceildivui",
                           "tensor.extract %v",
                           "scf.if",
                           "affine_map<(d0) -> (d0, d0)>",
                           "affine_map<(d0, d1) -> (d1, d1)>",
                           "arith.addf %out",
                           "arith.mulf %out",
                           "arith.maximumf %out",
                           "arith.minimumf %out",
                           "arith.maxnumf %out",
                           "arith.minnumf %out",
                           "arith.addi %out",
                           "arith.muli %out",
                           "arith.andi %out",
                           "arith.ori %out",
                           "arith.xori %out",
                           "arith.maxsi %out",
                           "arith.minsi %out",
                           "arith.maxui %out",
                           "arith.minui %out",
                           " - s)",
                           "s mod ",
                           "s floordiv ",
                           "affine.max",
                           "affine.min",
                           "arith.subi %extent",
                           "arith.remsi %n",
                           "arith.maxsi %n",
                           "tensor.concat",
                           "tensor.extract_slice %",
                           "tensor.insert_slice %",
                           "1x1x?x",
                           "-> (d0)>], iterator_types = [\"reduction\"]",
                           "xf16>",
                           "xf64>",
                           "xi1>",
                           "xi8>",
                           "xi64>"})
    EXPECT_NE(all.find(word), std::string::npos) << word;
}

TEST(BodyRecipe, PrefillHasEverythingInItSomewhere) {
  std::string all = many(randomPrefillBodies);
  for (const char *word :
       {"npu.cache_dim", "npu.cache_offset", "tensor.insert_slice",
        "arith.addi %i0, %offset", "affine.apply", "math.log", "math.exp",
        "math.sqrt", "arith.divf", "0xFF800000", "0x7F800000", "linalg.softmax",
        "arith.maximumf %out"})
    EXPECT_NE(all.find(word), std::string::npos) << word;
}

TEST(BodyRecipe, ReducesToWhatFails) {
  // A compiler that is wrong about every logarithm.
  auto fails = [](const Recipe &recipe) {
    return toText(recipe).find("math.log") != std::string::npos;
  };
  unsigned reduced = 0;
  for (uint64_t number = 0; reduced < 10; ++number) {
    Recipe recipe = randomPromptBodies(1, number);
    if (!fails(recipe))
      continue;
    ++reduced;
    Recipe small = reduceRecipe(recipe, fails);
    EXPECT_TRUE(fails(small));
    EXPECT_EQ(operationCount(small), 1u) << toText(small);
    EXPECT_EQ(small.prompt->longest, 2);
  }
}

} // namespace
} // namespace npu
