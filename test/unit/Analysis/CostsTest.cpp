// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operation counts as which work, and of how much: the part of the
// busiest tile, in the sizes that the formulas take (npu/Target/Costs.h).

#include "npu/Target/Costs.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace npu {
namespace {

class CostsTest : public ::testing::Test {
protected:
  CostsTest() : context(makeRegistry()) { context.allowUnregisteredDialects(); }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// Of the operation that makes what a function of these arguments returns.
  /// `#all` is on one tile, `#rows` and `#columns` are over two, of rank 2.
  ModelledCost costOf(const std::string &arguments, const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "#all = #npu.layout<DUPLICATED, tiles = 1>\n"
        "#two = #npu.layout<DUPLICATED, tiles = 2>\n"
        "#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>\n"
        "#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>\n"
        "func.func @f(" +
            arguments + ") {\n" + body + "\n  \"any.use\"(%r) : (" + typeOf +
            ") -> ()\n  return\n}",
        &context);
    if (!module) {
      ADD_FAILURE() << "does not parse: " << body;
      return {};
    }
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    Operation *use = function.front().getTerminator()->getPrevNode();
    Operation *op = use->getOperand(0).getDefiningOp();
    std::optional<OpAccess> access = OpAccess::get(op);
    return operationCost(op, access ? &*access : nullptr, op->getResultTypes(),
                         target);
  }

  /// The type of %r.
  std::string typeOf;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Target target = *findBuiltinTarget("npu4000");
  const CostFigures &figures = target.costs;
};

TEST_F(CostsTest, MatmulByRows) {
  typeOf = "tensor<65x48xf16, #rows>";
  ModelledCost cost =
      costOf("%a: tensor<65x32xf16, #rows>, %b: tensor<32x48xf16, #two>, "
             "%c: tensor<65x48xf16, #rows>",
             "%r = linalg.matmul ins(%a, %b : tensor<65x32xf16, #rows>, "
             "tensor<32x48xf16, #two>) outs(%c : tensor<65x48xf16, #rows>) -> "
             "tensor<65x48xf16, #rows>");
  EXPECT_EQ(cost.cycles, contractionCycles(figures, {33, 32, 48, 16}));
  EXPECT_EQ(cost.tile, 0);
  EXPECT_EQ(cost.bytes, 0);
}

TEST_F(CostsTest, InDdr) {
  typeOf = "tensor<65x48xf16>";
  ModelledCost cost =
      costOf("%a: tensor<65x32xf16>, %b: tensor<32x48xf16>, "
             "%c: tensor<65x48xf16>",
             "%r = linalg.matmul ins(%a, %b : tensor<65x32xf16>, "
             "tensor<32x48xf16>) outs(%c : tensor<65x48xf16>) -> "
             "tensor<65x48xf16>");
  EXPECT_EQ(cost, (ModelledCost{
                      transferCycles(figures, Direction::DdrToDdr, 65 * 48 * 2),
                      0, 65 * 48 * 2}));
}

TEST_F(CostsTest, Elementwise) {
  typeOf = "tensor<64x48xf16, #rows>";
  ModelledCost cost =
      costOf("%a: tensor<64x48xf16, #rows>, %b: tensor<64x48xf16, #rows>",
             "%r = arith.addf %a, %b : tensor<64x48xf16, #rows>");
  EXPECT_EQ(cost.cycles, elementwiseCycles(figures, 32, 48, 16));
}

} // namespace
} // namespace npu
