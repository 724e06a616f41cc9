// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StructureScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// Signs are names of the same bits, which arith knows nothing of.
Type withoutSign(Type type) {
  return isa<IntegerType>(type)
             ? IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth())
             : type;
}

Value rename(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : UnrealizedConversionCastOp::create(builder, loc, type, value)
                   .getResult(0);
}

} // namespace

FailureOr<Value> lowerBitcast(OpBuilder &builder, tensor::BitcastOp bitcast) {
  auto from = dyn_cast<RankedTensorType>(bitcast.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(bitcast.getType());
  if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape())
    return failure();
  Location loc = bitcast.getLoc();
  Type result = to.getElementType();
  Value empty = tensor::EmptyOp::create(builder, loc, to.getShape(), result);
  auto body = [&](OpBuilder &inner, Location, ValueRange elements) {
    Value bits =
        rename(inner, loc, elements[0], withoutSign(from.getElementType()));
    if (bits.getType() != withoutSign(result))
      bits = arith::BitcastOp::create(inner, loc, withoutSign(result), bits);
    linalg::YieldOp::create(inner, loc, rename(inner, loc, bits, result));
  };
  AffineMap identity = builder.getMultiDimIdentityMap(to.getRank());
  SmallVector<utils::IteratorType> loops(to.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, to, bitcast.getSource(), empty,
                                   {identity, identity}, loops, body)
      .getResult(0);
}

void guardPower(OpBuilder &builder, math::IPowIOp power) {
  auto type = dyn_cast<IntegerType>(power.getType());
  if (!type)
    return;
  Location loc = power.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  Value zero = constant(0), base = power.getLhs();
  Value isZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, base, zero);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, power.getRhs(), zero);
  Value undefined = arith::AndIOp::create(builder, loc, isZero, isNegative);
  power.getLhsMutable().assign(
      arith::SelectOp::create(builder, loc, undefined, constant(1), base));
}

void orderZeros(RewriterBase &rewriter, Operation *op) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  Value a = op->getOperand(0), b = op->getOperand(1);
  auto isNaN = [&](Value value) {
    return arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO,
                                 value, value);
  };
  Value ofNumbers;
  if (isa<arith::MaxNumFOp>(op))
    ofNumbers = arith::MaximumFOp::create(rewriter, loc, a, b);
  else
    ofNumbers = arith::MinimumFOp::create(rewriter, loc, a, b);
  Value orFirst =
      arith::SelectOp::create(rewriter, loc, isNaN(b), a, ofNumbers);
  rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN(a), b, orFirst);
}

} // namespace npu
