// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why operations are gathered and what that costs, also of a dialect that the
// project does not know and of one whose promised models nobody has registered.

#include "npu/Analysis/Choices/Gather.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace npu {
namespace {

/// An operation whose dialect promises a model.
class PromisedOp
    : public Op<PromisedOp, OpTrait::OneResult, OpTrait::ZeroRegions> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "odd.promised"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static void build(OpBuilder &, OperationState &) {}
};

class OddDialect : public Dialect {
public:
  explicit OddDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<OddDialect>()) {
    addOperations<PromisedOp>();
    declarePromisedInterface<PartwiseOpInterface, PromisedOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "odd"; }
};

class GatherTest : public ::testing::Test {
protected:
  GatherTest() : context(makeRegistry()) {
    context.allowUnregisteredDialects();
    context.loadDialect<OddDialect>();
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// Of the first operation of a function of `%x : tensor<8x4xf32, #rows>`; the
  /// rest of it uses the results.
  std::optional<Gather> gatherOfFirst(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>\n"
        "func.func @f(%x: tensor<8x4xf32, #rows>) {\n" +
            body + "\n  return\n}",
        &context);
    if (!module) {
      ADD_FAILURE() << "does not parse: " << body;
      return std::nullopt;
    }
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    return gatherOf(&function.front().front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const std::string rows = "tensor<8x4xf32, #rows>";

TEST_F(GatherTest, UnknownOperationsAreGathered) {
  auto gather = gatherOfFirst("%0 = \"any.thing\"(%x, %x) : (" + rows + ", " +
                              rows + ") -> " + rows + "\n\"any.use\"(%0) : (" +
                              rows + ") -> ()");
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->kind, GatherKind::NotUnderstood);
  EXPECT_EQ(gather->storedBits, 128 * 8);
  EXPECT_EQ(gather->loadedBits, 128 * 8);
  EXPECT_EQ(gather->bytes(), 256);
}

/// Also where the project's own code is built with assertions, in which a cast
/// to a promised interface ends the process.
TEST_F(GatherTest, PromisesThatNobodyKeepsAreAnotherKind) {
  auto gather =
      gatherOfFirst("%0 = \"odd.promised\"(%x) : (" + rows + ") -> " + rows);
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->kind, GatherKind::NotRegistered);
  EXPECT_EQ(gather->reason,
            "its dialect promises a model of npu::PartwiseOpInterface, which "
            "is not registered");
  // Nobody uses the result.
  EXPECT_EQ(gather->bytes(), 128);
}

TEST_F(GatherTest, WhatTilesDoIsNotGathered) {
  EXPECT_FALSE(gatherOfFirst("%0 = arith.addf %x, %x : " + rows));
  EXPECT_FALSE(gatherOfFirst("%0 = npu.redistribute %x : " + rows +
                             " to tensor<8x4xf32>"));
  EXPECT_FALSE(gatherOfFirst("%0 = tensor.empty() : " + rows));
  EXPECT_FALSE(gatherOfFirst("%0 = \"any.thing\"() : () -> tensor<8x4xf32>"));
}

TEST_F(GatherTest, TheSameAnswerIsRemembered) {
  EmptyOrigins origins;
  GatherQuestion question(origins);
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(gatherOfFirst("%0 = arith.addf %x, %x : " + rows));
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    EXPECT_FALSE(question.of(&function.front().front()));
  }
}

} // namespace
} // namespace npu
