// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-approximate-math: exp, log, tanh and erf of f32 as upstream's
// polynomials, and conversions of bf16 as upstream's operations on integers.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_APPROXIMATEMATH
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

bool isApproximated(StringRef name) {
  return name == math::ExpOp::getOperationName() ||
         name == math::LogOp::getOperationName() ||
         name == math::TanhOp::getOperationName() ||
         name == math::ErfOp::getOperationName();
}

/// Computes a function of shorter floats in f32, and rounds the result. Returns
/// the operation on f32.
Operation *computeInF32(OpBuilder &builder, Operation *op) {
  Type type = op->getResult(0).getType();
  if (getElementTypeOrSelf(type).isF32())
    return op;
  Type wide = builder.getF32Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  Location loc = op->getLoc();
  Value operand = arith::ExtFOp::create(builder, loc, wide, op->getOperand(0));
  Operation *computed =
      builder.create(loc, op->getName().getIdentifier(), operand, wide);
  op->replaceAllUsesWith(ValueRange{
      arith::TruncFOp::create(builder, loc, type, computed->getResult(0))});
  op->erase();
  return computed;
}

/// Upstream's polynomial gives 0 where a result is too small to be normal.
/// Where x is below -86, exp(x) is exp(x + 64) * e^-64, of which the sum is
/// exact.
void reachSubnormals(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto constant = [&](float number) -> Value {
    TypedAttr value = builder.getF32FloatAttr(number);
    if (auto shaped = dyn_cast<ShapedType>(x.getType()))
      value = DenseElementsAttr::get(shaped, Attribute(value));
    return arith::ConstantOp::create(builder, loc, value);
  };
  Value isSmall = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                        x, constant(-86));
  Value shifted = arith::AddFOp::create(builder, loc, x, constant(64));
  op->setOperand(0, arith::SelectOp::create(builder, loc, isSmall, shifted, x));
  builder.setInsertionPointAfter(op);
  Value factor = arith::SelectOp::create(
      builder, loc, isSmall, constant(1.6038108905486378e-28F), constant(1));
  Value result = arith::MulFOp::create(builder, loc, op->getResult(0), factor);
  op->getResult(0).replaceAllUsesExcept(result, result.getDefiningOp());
}

/// Rounds to bf16, and reads it, by operations on integers. LLVM would call a
/// function for each lane, or use instructions that make small numbers 0.
LogicalResult expandBFloat16(Operation *function) {
  SmallVector<Operation *> conversions;
  function->walk([&](Operation *op) {
    auto isOf = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
    if ((isa<arith::ExtFOp>(op) && isOf(op->getOperand(0).getType())) ||
        (isa<arith::TruncFOp>(op) && isOf(op->getResult(0).getType())))
      conversions.push_back(op);
  });
  if (conversions.empty())
    return success();
  RewritePatternSet patterns(function->getContext());
  arith::populateExpandBFloat16Patterns(patterns);
  return applyOpPatternsGreedily(conversions, std::move(patterns),
                                 GreedyRewriteConfig().setStrictness(
                                     GreedyRewriteStrictness::ExistingOps));
}

struct ApproximateMathPass : impl::ApproximateMathBase<ApproximateMathPass> {
  using ApproximateMathBase::ApproximateMathBase;

  void runOnOperation() override {
    if (failed(approximate()) || failed(expandBFloat16(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult approximate() {
    SmallVector<Operation *> approximated;
    getOperation()->walk([&](Operation *op) {
      if (!isApproximated(op->getName().getStringRef()))
        return;
      Type element = getElementTypeOrSelf(op->getResult(0));
      if (element.isF16() || element.isBF16() || element.isF32())
        approximated.push_back(op);
    });
    if (approximated.empty())
      return success();
    for (Operation *&op : approximated) {
      OpBuilder builder(op);
      op = computeInF32(builder, op);
      builder.setInsertionPoint(op);
      if (isa<math::ExpOp>(op))
        reachSubnormals(builder, op);
    }
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, isApproximated);
    // Nothing but these operations, because a function is long.
    auto config = GreedyRewriteConfig().setStrictness(
        GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(approximated, std::move(patterns), config);
  }
};

} // namespace
} // namespace npu
