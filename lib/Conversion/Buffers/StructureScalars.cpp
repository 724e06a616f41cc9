// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StructureScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
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
