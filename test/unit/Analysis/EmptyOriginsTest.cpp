// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made of nothing, asked at every link of chains of moves and views in
// any order: what is remembered is what a walk from there finds.

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace npu {
namespace {

class EmptyOriginsTest : public ::testing::Test {
protected:
  EmptyOriginsTest() : context(makeRegistry()) {
    module = parseSourceString<ModuleOp>(R"(
      #rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
      #columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
      func.func @f(%x: tensor<8x4xf32, #rows>) {
        %e = tensor.empty() : tensor<8x4xf32, #rows>
        %0 = npu.redistribute %e : tensor<8x4xf32, #rows> to tensor<8x4xf32, #columns>
        %1 = tensor.cast %0 : tensor<8x4xf32, #columns> to tensor<8x4xf32, #rows>
        %2 = tensor.extract_slice %1[0, 0] [4, 4] [1, 1] : tensor<8x4xf32, #rows> to tensor<4x4xf32, #rows>
        %3 = npu.redistribute %2 : tensor<4x4xf32, #rows> to tensor<4x4xf32, #columns>
        %4 = npu.redistribute %x : tensor<8x4xf32, #rows> to tensor<8x4xf32, #columns>
        %5 = tensor.cast %4 : tensor<8x4xf32, #columns> to tensor<8x4xf32, #rows>
        %6 = tensor.insert_slice %3 into %1[0, 0] [4, 4] [1, 1] : tensor<4x4xf32, #columns> into tensor<8x4xf32, #rows>
        %7 = npu.redistribute %6 : tensor<8x4xf32, #rows> to tensor<8x4xf32, #columns>
        return
      })",
                                         &context);
    if (!module)
      return;
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    for (Operation &op : function.front().without_terminator())
      ops.push_back(&op);
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<Operation *> ops;
};

TEST_F(EmptyOriginsTest, EveryLinkHasTheSameOrigin) {
  ASSERT_EQ(ops.size(), 9u);
  for (bool backwards : {false, true}) {
    EmptyOrigins origins;
    for (unsigned i = 0; i < ops.size(); ++i) {
      unsigned number = backwards ? ops.size() - 1 - i : i;
      Operation *op = ops[number];
      bool ofNothing = number <= 4;
      EXPECT_EQ(origins.emptyAfter(op->getResult(0)),
                ofNothing ? ops[0] : nullptr)
          << number;
      EXPECT_EQ(origins.isRematerializedAsEmpty(op), ofNothing && number != 0)
          << number;
    }
  }
}

/// The insertion is found after the move of what it made, and nothing is
/// written of what was only moved.
TEST_F(EmptyOriginsTest, WhatWasWrittenIsFoundAfterMoves) {
  ASSERT_EQ(ops.size(), 9u);
  for (bool backwards : {false, true}) {
    EmptyOrigins origins;
    WrittenParts parts(origins);
    for (unsigned i = 0; i < ops.size(); ++i) {
      unsigned number = backwards ? ops.size() - 1 - i : i;
      SmallVector<WrittenBoxes, 1> ways =
          parts.waysWritten(ops[number]->getResult(0));
      bool comesFromArgument = number == 5 || number == 6;
      ASSERT_EQ(ways.size(), comesFromArgument ? 0u : 1u) << number;
      if (comesFromArgument)
        continue;
      ASSERT_EQ(ways[0].size(), number < 7 ? 0u : 1u) << number;
      if (number >= 7)
        EXPECT_EQ(ways[0][0], (Box{{0, 4}, {0, 4}}));
    }
  }
}

} // namespace
} // namespace npu
