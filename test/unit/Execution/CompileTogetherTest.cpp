// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are compiled together run as each by itself: symbols of one
// name stay apart, constants go to their own function, and inputs that no
// function writes to are read where they are.

#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Jit/JoinPrograms.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace npu;

namespace {

class CompileTogetherTest : public ::testing::Test {
protected:
  CompileTogetherTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    registerExecutionInterfaces(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  std::unique_ptr<CompiledFunction> bufferize(llvm::StringRef text) {
    auto function = CompiledFunction::bufferize(parse(text), "f");
    return mlir::succeeded(function) ? std::move(*function) : nullptr;
  }

  mlir::MLIRContext context;
};

/// x + a constant of 128 elements, which LLVM does not see.
std::string plus(int number) {
  return "func.func @f(%x: tensor<128xi32>) -> tensor<128xi32> {\n"
         "  %i = arith.constant dense<[" +
         [&] {
           std::string numbers;
           for (int i = 0; i < 128; ++i)
             numbers += (i ? ", " : "") + std::to_string(number + i);
           return numbers;
         }() +
         "]> : tensor<128xi32>\n"
         "  %e = tensor.empty() : tensor<128xi32>\n"
         "  %y = linalg.add ins(%x, %i : tensor<128xi32>, tensor<128xi32>)"
         " outs(%e : tensor<128xi32>) -> tensor<128xi32>\n"
         "  return %y : tensor<128xi32>\n}\n";
}

TEST_F(CompileTogetherTest, EachHasItsConstants) {
  std::vector<std::unique_ptr<CompiledFunction>> functions;
  llvm::SmallVector<CompiledFunction *> all;
  for (int number : {0, 1000, 2000}) {
    functions.push_back(bufferize(plus(number)));
    ASSERT_TRUE(functions.back());
    ASSERT_TRUE(mlir::succeeded(functions.back()->lowerForMachine()));
    all.push_back(functions.back().get());
  }
  ASSERT_TRUE(mlir::succeeded(CompiledFunction::compileTogether(all, 2)));
  HostTensor x({ElementType::I32, {128}});
  for (int i = 0; i < 128; ++i)
    setBitsAt(x, i, 3);
  for (auto [i, function] : llvm::enumerate(functions)) {
    auto results = function->runOn({&x});
    ASSERT_TRUE(mlir::succeeded(results));
    EXPECT_EQ(valueAt(results->front(), 127), 1000.0 * double(i) + 130);
  }
}

TEST_F(CompileTogetherTest, WhatCannotBeJoinedStaysAsItIs) {
  auto one = parse("llvm.func @outside(i32)\n");
  auto other = parse("llvm.func @outside(i64)\n");
  EXPECT_FALSE(joinPrograms({*one, *other}));
  EXPECT_TRUE(joinPrograms({*one, *one}));
}

TEST_F(CompileTogetherTest, InputsAreReadWhereTheyAre) {
  auto function = bufferize(plus(0));
  ASSERT_TRUE(function);
  ByteSum needed;
  function->addMemory(needed);
  EXPECT_EQ(needed.total(), 128 * 4);
  // A program on buffers may write to its inputs.
  auto program = bufferize(R"(
    func.func @f(%x: memref<128xi32>, %y: memref<128xi32> {bufferize.result}) {
      linalg.add ins(%x, %x : memref<128xi32>, memref<128xi32>)
        outs(%x : memref<128xi32>)
      memref.copy %x, %y : memref<128xi32> to memref<128xi32>
      return
    })");
  ASSERT_TRUE(program);
  ByteSum ofProgram;
  program->addMemory(ofProgram);
  EXPECT_EQ(ofProgram.total(), 2 * 128 * 4);
  ASSERT_TRUE(mlir::succeeded(program->compile(0)));
  HostTensor x({ElementType::I32, {128}});
  for (int i = 0; i < 128; ++i)
    setBitsAt(x, i, 3);
  for (int run = 0; run < 2; ++run) {
    auto results = program->runOn({&x});
    ASSERT_TRUE(mlir::succeeded(results));
    EXPECT_EQ(valueAt(results->front(), 5), 6);
  }
}

TEST_F(CompileTogetherTest, ResultsLieWhereTheyArePlaced) {
  auto function = bufferize(plus(0));
  ASSERT_TRUE(function);
  ASSERT_TRUE(mlir::succeeded(function->compile(0)));
  HostTensor x({ElementType::I32, {128}});
  std::byte *data = nullptr;
  function->placeResults([&](size_t number, const TensorSpec &spec) {
    EXPECT_EQ(number, size_t(0));
    HostTensor result(spec);
    data = result.buffer.data();
    return result;
  });
  auto results = function->runOn({&x});
  ASSERT_TRUE(mlir::succeeded(results));
  EXPECT_NE(data, nullptr);
  EXPECT_EQ(results->front().buffer.data(), data);
}

} // namespace
