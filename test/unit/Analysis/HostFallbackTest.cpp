// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why operations fall back to the host and what that costs, also of a dialect
// that the project does not know and of one whose promised models nobody has
// registered.

#include "npu/Analysis/Choices/HostFallback.h"
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

class HostFallbackTest : public ::testing::Test {
protected:
  HostFallbackTest() : context(makeRegistry()) {
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
  std::optional<HostFallback> hostFallbackOfFirst(const std::string &body) {
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
    return hostFallbackOf(&function.front().front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const std::string rows = "tensor<8x4xf32, #rows>";

TEST_F(HostFallbackTest, UnknownOperationsFallBack) {
  auto fallback = hostFallbackOfFirst(
      "%0 = \"any.thing\"(%x, %x) : (" + rows + ", " + rows + ") -> " + rows +
      "\n\"any.use\"(%0) : (" + rows + ") -> ()");
  ASSERT_TRUE(fallback);
  EXPECT_EQ(fallback->kind, HostFallbackKind::NotUnderstood);
  EXPECT_EQ(fallback->storedBits, 128 * 8);
  EXPECT_EQ(fallback->loadedBits, 128 * 8);
  EXPECT_EQ(fallback->bytes(), 256);
}

/// Also where the project's own code is built with assertions, in which a cast
/// to a promised interface ends the process.
TEST_F(HostFallbackTest, PromisesThatNobodyKeepsAreAnotherKind) {
  auto fallback = hostFallbackOfFirst("%0 = \"odd.promised\"(%x) : (" + rows +
                                      ") -> " + rows);
  ASSERT_TRUE(fallback);
  EXPECT_EQ(fallback->kind, HostFallbackKind::NotRegistered);
  EXPECT_EQ(fallback->reason,
            "its dialect promises a model of npu::PartwiseOpInterface, which "
            "is not registered");
  // Nobody uses the result.
  EXPECT_EQ(fallback->bytes(), 128);
}

TEST_F(HostFallbackTest, WhatTilesDoDoesNotFallBack) {
  EXPECT_FALSE(hostFallbackOfFirst("%0 = arith.addf %x, %x : " + rows));
  EXPECT_FALSE(hostFallbackOfFirst("%0 = npu.redistribute %x : " + rows +
                                   " to tensor<8x4xf32>"));
  EXPECT_FALSE(hostFallbackOfFirst("%0 = tensor.empty() : " + rows));
  EXPECT_FALSE(
      hostFallbackOfFirst("%0 = \"any.thing\"() : () -> tensor<8x4xf32>"));
}

TEST_F(HostFallbackTest, TheSameAnswerIsRemembered) {
  EmptyOrigins origins;
  HostFallbackQuery question(origins);
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(hostFallbackOfFirst("%0 = arith.addf %x, %x : " + rows));
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    EXPECT_FALSE(question.of(&function.front().front()));
  }
}

} // namespace
} // namespace npu
