// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-approximate-math: exp, log, tanh and erf of f32 as upstream's
// polynomials, expm1 and log1p by exp and log, bf16 in f32, and conversions of
// bf16 as upstream's operations on integers.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

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

/// The type with elements of another type.
Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(element) : element;
}

/// The type with `element` for floats that are shorter than f32.
Type widened(Type type, Type element) {
  Type own = getElementTypeOrSelf(type);
  return own.isF16() || own.isBF16() ? withElement(type, element) : type;
}

/// Computes an operation on floats that are shorter than f32 in `element`, and
/// rounds the result. Returns the operation on `element`.
Operation *computeIn(OpBuilder &builder, Operation *op, Type element) {
  Type type = op->getResult(0).getType(), wide = widened(type, element);
  if (wide == type)
    return op;
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Type wider = widened(operand.getType(), element);
    operands.push_back(
        wider == operand.getType()
            ? operand
            : arith::ExtFOp::create(builder, loc, wider, operand).getResult());
  }
  OperationState state(loc, op->getName(), operands, wide,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *computed = builder.create(state);
  op->replaceAllUsesWith(ValueRange{
      arith::TruncFOp::create(builder, loc, type, computed->getResult(0))});
  op->erase();
  return computed;
}

/// Whether the operation rounds to bf16, or would on a machine that computes it
/// in f32.
bool roundsToBFloat16(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         op->getNumResults() == 1 &&
         getElementTypeOrSelf(op->getResult(0)).isBF16() &&
         !isa<arith::ConstantOp, arith::ExtFOp, arith::ScalingExtFOp,
              arith::TruncFOp, arith::ScalingTruncFOp, arith::BitcastOp,
              arith::SelectOp, arith::NegFOp, math::AbsFOp, math::CopySignOp>(
             op);
}

/// A number of the type of `x`.
Value constantLike(OpBuilder &builder, Location loc, Value x, float number) {
  TypedAttr value =
      builder.getFloatAttr(getElementTypeOrSelf(x.getType()), number);
  if (auto shaped = dyn_cast<ShapedType>(x.getType()))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

/// Computes 1 / sqrt(x) by two operations, which round one after the other.
Operation *divideByRoot(OpBuilder &builder, math::RsqrtOp op) {
  auto root = math::SqrtOp::create(builder, op.getLoc(), op.getOperand());
  Value one = constantLike(builder, op.getLoc(), root, 1);
  auto quotient = arith::DivFOp::create(builder, op.getLoc(), one, root);
  op.replaceAllUsesWith(quotient.getResult());
  op.erase();
  builder.setInsertionPoint(root);
  computeIn(builder, root, builder.getF32Type());
  return quotient;
}

/// Upstream's polynomial gives 0 where a result is too small to be normal.
/// Where x is below -86, exp(x) is exp(x + 64) * e^-64, of which the sum is
/// exact.
void reachSubnormals(OpBuilder &builder, math::ExpOp op) {
  Location loc = op.getLoc();
  Value x = op.getOperand();
  auto constant = [&](float number) {
    return constantLike(builder, loc, x, number);
  };
  Value isSmall = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                        x, constant(-86));
  Value shifted = arith::AddFOp::create(builder, loc, x, constant(64));
  op->setOperand(0, arith::SelectOp::create(builder, loc, isSmall, shifted, x));
  builder.setInsertionPointAfter(op);
  Value factor = arith::SelectOp::create(
      builder, loc, isSmall, constant(1.6038108905486378e-28F), constant(1));
  Value result = arith::MulFOp::create(builder, loc, op.getResult(), factor);
  op.getResult().replaceAllUsesExcept(result, result.getDefiningOp());
}

/// Upstream's polynomial takes what is too small to be normal for the smallest
/// normal number. There, log(x) is log(x * 2^24) - log(2^24), of which the
/// product is exact.
void readSubnormals(OpBuilder &builder, math::LogOp op) {
  Location loc = op.getLoc();
  Value x = op.getOperand();
  auto constant = [&](float number) {
    return constantLike(builder, loc, x, number);
  };
  Value isSmall =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x,
                            constant(std::numeric_limits<float>::min()));
  Value factor = arith::SelectOp::create(builder, loc, isSmall,
                                         constant(0x1p24F), constant(1));
  op->setOperand(0, arith::MulFOp::create(builder, loc, x, factor));
  builder.setInsertionPointAfter(op);
  Value shift = arith::SelectOp::create(
      builder, loc, isSmall, constant(16.635532333438686F), constant(0));
  Value result = arith::SubFOp::create(builder, loc, op.getResult(), shift);
  op.getResult().replaceAllUsesExcept(result, result.getDefiningOp());
}

/// Computes exp(x) - 1 and log(1 + x) so that numbers near 0 keep their digits,
/// where upstream's lowering subtracts and adds as it stands. With u the
/// rounded exp(x) or 1 + x, what rounding took away cancels out in a quotient
/// (Kahan's formulas, which upstream's polynomials for f32 follow as well):
///   exp(x) - 1 = (u - 1) * (x / log(u)),  log(1 + x) = x * (log(u) / (u - 1))
/// Where u is 1, both are x. Computed operations are added to `made`.
void keepDigitsNearZero(OpBuilder &builder, Operation *op,
                        SmallVectorImpl<Operation *> &made) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto constant = [&](float number) {
    return constantLike(builder, loc, x, number);
  };
  auto isEqual = [&](Value value, Value number) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value,
                                 number);
  };
  auto choose = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  };
  bool isPower = isa<math::ExpM1Op>(op);
  Value u = isPower ? math::ExpOp::create(builder, loc, x).getResult()
                    : arith::AddFOp::create(builder, loc, x, constant(1));
  if (isPower)
    made.push_back(u.getDefiningOp());
  Value less = arith::SubFOp::create(builder, loc, u, constant(1));
  Value logarithm = math::LogOp::create(builder, loc, u);
  made.push_back(logarithm.getDefiningOp());
  // The quotient comes first, because the product may be too large.
  Value correction = isPower
                         ? arith::DivFOp::create(builder, loc, x, logarithm)
                         : arith::DivFOp::create(builder, loc, logarithm, less);
  Value result =
      arith::MulFOp::create(builder, loc, isPower ? less : x, correction);
  // At the ends there is nothing to correct.
  Value end = isPower ? less : logarithm;
  Value infinite = constant(std::numeric_limits<float>::infinity());
  result = choose(isEqual(u, infinite), end, result);
  result =
      choose(isPower ? isEqual(less, constant(-1)) : isEqual(u, constant(0)),
             end, result);
  result = choose(isEqual(u, constant(1)), x, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// The number in f32 of which rounding to bf16 makes what it makes of `x` in
/// f64: what is between two numbers of f32 is the one whose last bit is 1, so
/// that rounding a second time sees that it was no tie.
Value roundToOdd(OpBuilder &builder, Location loc, Value x) {
  Type f32 = withElement(x.getType(), builder.getF32Type()),
       i32 = withElement(x.getType(), builder.getI32Type());
  auto constant = [&](int64_t number) {
    return createScalarOrSplatConstant(builder, loc, i32, number);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  };
  Value near = arith::TruncFOp::create(builder, loc, f32, x);
  Value back = arith::ExtFOp::create(builder, loc, x.getType(), near);
  Value bits = arith::BitcastOp::create(builder, loc, i32, near);
  Value last = arith::AndIOp::create(builder, loc, bits, constant(1));
  Value isEven = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       last, constant(0));
  Value isBetween = compare(arith::CmpFPredicate::ONE, back, x);
  Value isFurther = compare(arith::CmpFPredicate::OGT,
                            math::AbsFOp::create(builder, loc, back),
                            math::AbsFOp::create(builder, loc, x));
  Value step = arith::SelectOp::create(builder, loc, isFurther, constant(-1),
                                       constant(1));
  Value odd = arith::AddIOp::create(builder, loc, bits, step);
  Value moves = arith::AndIOp::create(builder, loc, isEven, isBetween);
  Value chosen = arith::SelectOp::create(builder, loc, moves, odd, bits);
  return arith::BitcastOp::create(builder, loc, f32, chosen);
}

/// Whether the operation converts integers of more bits than f32 has.
bool isOfWideInteger(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() > 24;
}

/// Rounds to bf16, and reads it, by operations on integers. LLVM would call a
/// function for each lane, or use instructions that make small numbers 0.
LogicalResult expandBFloat16(Operation *function) {
  SmallVector<Operation *> computed;
  function->walk([&](Operation *op) {
    if (roundsToBFloat16(op))
      computed.push_back(op);
  });
  for (Operation *op : computed) {
    OpBuilder builder(op);
    if (auto root = dyn_cast<math::RsqrtOp>(op))
      op = divideByRoot(builder, root);
    builder.setInsertionPoint(op);
    computeIn(builder, op,
              isOfWideInteger(op) ? builder.getF64Type()
                                  : builder.getF32Type());
  }
  function->walk([&](arith::TruncFOp op) {
    OpBuilder builder(op);
    if (getElementTypeOrSelf(op.getIn()).isF64() &&
        getElementTypeOrSelf(op.getType()).isBF16())
      op.getInMutable().assign(roundToOdd(builder, op.getLoc(), op.getIn()));
  });
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
    SmallVector<Operation *> approximated, nearZero;
    getOperation()->walk([&](Operation *op) {
      if (isa<math::ExpM1Op, math::Log1pOp>(op))
        nearZero.push_back(op);
      if (!isApproximated(op->getName().getStringRef()))
        return;
      Type element = getElementTypeOrSelf(op->getResult(0));
      if (element.isF16() || element.isBF16() || element.isF32())
        approximated.push_back(op);
    });
    for (Operation *op : nearZero) {
      OpBuilder builder(op);
      op = computeIn(builder, op, builder.getF32Type());
      builder.setInsertionPoint(op);
      SmallVector<Operation *> made;
      keepDigitsNearZero(builder, op, made);
      if (getElementTypeOrSelf(made.front()->getResult(0)).isF32())
        llvm::append_range(approximated, made);
    }
    if (approximated.empty())
      return success();
    for (Operation *&op : approximated) {
      OpBuilder builder(op);
      op = computeIn(builder, op, builder.getF32Type());
      builder.setInsertionPoint(op);
      if (auto power = dyn_cast<math::ExpOp>(op))
        reachSubnormals(builder, power);
      else if (auto logarithm = dyn_cast<math::LogOp>(op))
        readSubnormals(builder, logarithm);
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
