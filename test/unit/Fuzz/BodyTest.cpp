// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are made of regions: the same every time, legal as they are,
// with everything in them somewhere, and smaller after a reduction.

#include "npu-fuzz/Bodies/RegionMaker.h"
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

TEST(Body, DependsOnSeedAndNumberAlone) {
  for (auto make : {randomPromptBodies, randomPrefillBodies}) {
    std::string text = make(3, 4).text;
    EXPECT_EQ(make(3, 4).text, text);
    EXPECT_NE(make(4, 3).text, text);
    EXPECT_NE(make(3, 5).text, text);
  }
}

TEST(Body, AStepThatIsNotLegalAddsNothing) {
  RegionMaker maker(1, 1, 8);
  unsigned value = maker.argument(ElementType::F32, {kPrompt});
  // No operation makes an argument, and its type is another one.
  EXPECT_EQ(maker.step(maker.tensor(ElementType::F16, {kPrompt}),
                       [&](const Fact &) { return maker[value].value; }),
            value);
  EXPECT_EQ(maker.size(), 1u);
}

TEST(Body, IsAFunctionThatParsesAndVerifies) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect>();
  for (auto make : {randomPromptBodies, randomPrefillBodies})
    for (uint64_t number = 0; number < 1000; ++number) {
      std::string text = make(1, number).text;
      ASSERT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(text, &context))
          << number << "\n"
          << text;
    }
}

std::string many(MadeFunction (*make)(uint64_t, uint64_t)) {
  std::string all;
  for (uint64_t number = 0; number < 3000; ++number)
    all += make(1, number).text;
  return all;
}

TEST(Body, HasEverythingInItSomewhere) {
  std::string all = many(randomPromptBodies);
  for (const char *predicate :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    EXPECT_NE(all.find(std::string("cmpi ") + predicate), std::string::npos)
        << predicate;
  for (const char *word : {"0xFF800000",
                           "0x7F800000",
                           "0x7FC00000",
                           "constant -0.0",
                           "math.log %in",
                           "math.exp",
                           "arith.divf",
                           "arith.cmpf uno",
                           "arith.divsi",
                           "arith.divui",
                           "arith.remsi",
                           "arith.remui",
                           "arith.floordivsi",
                           "arith.ceildivui",
                           "tensor.extract %",
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
                           "-> (-s0 + ",
                           "s0 mod ",
                           "s0 floordiv ",
                           "affine.max",
                           "affine.min",
                           "arith.remsi %dim",
                           "arith.maxsi %dim",
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

TEST(Body, PrefillHasEverythingInItSomewhere) {
  std::string all = many(randomPrefillBodies);
  for (const char *word :
       {"npu.cache_dim", "npu.cache_offset", "tensor.insert_slice",
        "index {npu.cache_offset}", "affine.apply", "math.log", "math.exp",
        "math.sqrt", "arith.divf", "0xFF800000", "0x7F800000", "linalg.softmax",
        "arith.maximumf %out"})
    EXPECT_NE(all.find(word), std::string::npos) << word;
}

TEST(Body, ReducesToWhatFails) {
  // A compiler that is wrong about every logarithm.
  auto fails = [](const MadeFunction &function) {
    return function.text.find("math.log") != std::string::npos;
  };
  unsigned reduced = 0;
  for (uint64_t number = 0; reduced < 5; ++number) {
    MadeFunction function = randomPromptBodies(1, number);
    if (!fails(function))
      continue;
    ++reduced;
    MadeFunction small = reduceFunction(function, fails);
    EXPECT_TRUE(fails(small));
    EXPECT_EQ(operationCount(small), 1u) << small.text;
    EXPECT_EQ(small.prompt->longest, 2);
  }
}

} // namespace
} // namespace npu
