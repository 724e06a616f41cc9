// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults in the device's side of one operation: the audit names that operation
// as STRUCTURAL, with a hint, and on tensors with layouts the tiles whose part
// is wrong; the operations around it stay what they are. Without a fault it
// finds none.

#include "npu/Audit/Audit.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using testing::HasSubstr;

namespace {

const char *const kProgram = R"(
#d = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<12x16xf16>, %w: tensor<16x24xf16>, %b: tensor<24xf16>) -> tensor<12x24xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<12x24xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<12x24xf16>) -> tensor<12x24xf16>
  %0 = linalg.matmul ins(%x, %w : tensor<12x16xf16>, tensor<16x24xf16>) outs(%f : tensor<12x24xf16>) -> tensor<12x24xf16>
  %1 = linalg.generic {indexing_maps = [#d, #r, #d], iterator_types = ["parallel", "parallel"]} ins(%0, %b : tensor<12x24xf16>, tensor<24xf16>) outs(%e : tensor<12x24xf16>) {
  ^bb0(%p: f16, %q: f16, %o: f16):
    %s = arith.subf %p, %q : f16
    linalg.yield %s : f16
  } -> tensor<12x24xf16>
  %2 = math.tanh %1 : tensor<12x24xf16>
  return %2 : tensor<12x24xf16>
}
)";

const char *const kOnTiles = R"(
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
func.func @main(%x: tensor<8x16xf16, #rows>) -> tensor<8x16xf16, #rows> {
  %e = tensor.empty() : tensor<8x16xf16, #rows>
  %0 = linalg.exp ins(%x : tensor<8x16xf16, #rows>) outs(%e : tensor<8x16xf16, #rows>) -> tensor<8x16xf16, #rows>
  return %0 : tensor<8x16xf16, #rows>
}
)";

class AuditFaultsTest : public testing::Test {
protected:
  AuditFaultsTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    npu::registerDialects(registry);
    npu::registerExecutionInterfaces(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }

  using Change = std::function<LogicalResult(func::FuncOp)>;

  /// The report of a program with a fault.
  std::string audit(const char *program, Change change) {
    auto module = parseSourceString<ModuleOp>(program, context.get());
    npu::RunOptions run;
    run.inputs = npu::InputKind::Normal;
    npu::AuditOptions options;
    options.changeDevice = std::move(change);
    std::string text;
    llvm::raw_string_ostream os(text);
    bool isWrong =
        failed(npu::audit(std::move(module), nullptr, run, options, os));
    EXPECT_EQ(isWrong, text.find("verdict: STRUCTURAL") != std::string::npos);
    return text;
  }

  /// Puts an operation after the first one of a name, for all who use it.
  static Change
  after(std::string name,
        std::function<Value(OpBuilder &, Location, Value)> build) {
    return [=](func::FuncOp device) {
      for (Operation &op : llvm::make_early_inc_range(device.front())) {
        if (op.getName().getStringRef() != name)
          continue;
        OpBuilder builder(device.getContext());
        builder.setInsertionPointAfter(&op);
        Operation *last = &op;
        Value old = op.getResult(0);
        Value changed = build(builder, op.getLoc(), old);
        old.replaceUsesWithIf(changed, [&](OpOperand &use) {
          return use.getOwner()->hasAttr("audit_unit") &&
                 last->isBeforeInBlock(use.getOwner());
        });
        return success();
      }
      return failure();
    };
  }

  std::unique_ptr<MLIRContext> context;
};

TEST_F(AuditFaultsTest, NothingChanged) {
  std::string text = audit(kProgram, [](func::FuncOp) { return success(); });
  EXPECT_THAT(text, HasSubstr("3 ROUNDING"));
  EXPECT_THAT(text, HasSubstr("verdict: ROUNDING"));
}

TEST_F(AuditFaultsTest, WrongScale) {
  std::string text = audit(
      kProgram,
      after("linalg.matmul", [](OpBuilder &builder, Location loc, Value value) {
        Value two = arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(cast<RankedTensorType>(value.getType()),
                                   APFloat(APFloat::IEEEhalf(), "1.5")));
        return arith::MulFOp::create(builder, loc, value, two).getResult();
      }));
  EXPECT_THAT(text, HasSubstr("verdict: STRUCTURAL at linalg.matmul"));
  EXPECT_THAT(text, HasSubstr("times what is expected: a wrong scale"));
  EXPECT_THAT(text, HasSubstr("1 STRUCTURAL, 2 ROUNDING"));
}

TEST_F(AuditFaultsTest, DroppedRow) {
  std::string text = audit(
      kProgram, after("linalg.generic", [](OpBuilder &builder, Location loc,
                                           Value value) {
        auto row = RankedTensorType::get({1, 24}, builder.getF16Type());
        Value zero = arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(row, APFloat::getZero(APFloat::IEEEhalf())));
        auto index = [&](int64_t i) -> OpFoldResult {
          return builder.getIndexAttr(i);
        };
        return tensor::InsertSliceOp::create(
                   builder, loc, zero, value, ArrayRef{index(5), index(0)},
                   ArrayRef{index(1), index(24)}, ArrayRef{index(1), index(1)})
            .getResult();
      }));
  EXPECT_THAT(text, HasSubstr("verdict: STRUCTURAL at linalg.generic"));
  EXPECT_THAT(text, HasSubstr("24 of 288 elements are beyond any rounding"));
  EXPECT_THAT(text, HasSubstr("wrong within [5:6, 0:24]"));
  EXPECT_THAT(text, HasSubstr("what is at 5 of dimension 0 is wrong as a whole "
                              "and nothing else, and is 0"));
}

TEST_F(AuditFaultsTest, SwappedOperands) {
  std::string text = audit(kProgram, [](func::FuncOp device) {
    device.walk([](arith::SubFOp op) {
      Value first = op.getLhs();
      op.getLhsMutable().assign(op.getRhs());
      op.getRhsMutable().assign(first);
    });
    return success();
  });
  EXPECT_THAT(text, HasSubstr("verdict: STRUCTURAL at linalg.generic"));
  EXPECT_THAT(text, HasSubstr("every element is -1 times"));
}

TEST_F(AuditFaultsTest, WrongBroadcast) {
  // The bias is read at the row instead of at the column.
  std::string text = audit(kProgram, [&](func::FuncOp device) {
    device.walk([&](linalg::GenericOp op) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[1] = AffineMap::get(2, 0, getAffineDimExpr(0, context.get()));
      op.setIndexingMapsAttr(
          Builder(context.get()).getAffineMapArrayAttr(maps));
      // Its extent is that of the columns still.
      OpBuilder builder(op);
      auto index = [&](int64_t i) -> OpFoldResult {
        return builder.getIndexAttr(i);
      };
      op->setOperand(1, tensor::ExtractSliceOp::create(
                            builder, op.getLoc(), op->getOperand(1),
                            ArrayRef{index(0)}, ArrayRef{index(12)},
                            ArrayRef{index(1)}));
    });
    return success();
  });
  EXPECT_THAT(text, HasSubstr("verdict: STRUCTURAL at linalg.generic"));
  EXPECT_THAT(text, HasSubstr("a wrong broadcast"));
}

TEST_F(AuditFaultsTest, NamesTheTile) {
  std::string text = audit(
      kOnTiles,
      after("linalg.exp", [](OpBuilder &builder, Location loc, Value value) {
        auto type = cast<RankedTensorType>(value.getType());
        SmallVector<APFloat> factors;
        for (int i = 0; i < 128; ++i)
          factors.emplace_back(APFloat::IEEEhalf(), i == 100 ? "2" : "1");
        Value factor = arith::ConstantOp::create(
            builder, loc, DenseElementsAttr::get(type, factors));
        Value empty = tensor::EmptyOp::create(builder, loc, type, ValueRange());
        return linalg::MulOp::create(builder, loc, ValueRange{value, factor},
                                     empty)
            ->getResult(0);
      }));
  EXPECT_THAT(text, HasSubstr("verdict: STRUCTURAL at linalg.exp"));
  EXPECT_THAT(text, HasSubstr("wrong within [6:7, 4:5]"));
  EXPECT_THAT(text, HasSubstr("wrong on tile 1, which computes [4:8, 0:16]"));
  EXPECT_THAT(text, testing::Not(HasSubstr("wrong on tile 0")));
}

} // namespace
