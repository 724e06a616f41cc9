// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-assert-divisors: asserts that integer divisions have a quotient, where
// processors would trap, and that steps of loops are above 0.

#include "Divisions.h"
#include "IndexRanges.h"
#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ASSERTDIVISORS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

using arith::CmpIPredicate;

class Assertions {
public:
  explicit Assertions(Operation *op)
      : op(op), builder(op), loc(op->getLoc()),
        type(op->getOperand(1).getType()), divisor(op->getOperand(1)) {}

  void add() {
    ConstantIntRanges range = rangeOf(divisor);
    if (range.umin().isZero())
      require(isNot(divisor, APInt::getZero(width())),
              "expected a divisor other than 0");
    bool mayBeMinusOne = range.smin().sle(-1) && range.smax().sge(-1);
    if (!isSignedDivision(op) || !mayBeMinusOne)
      return;
    if (isSignedRemainder(op)) {
      // Any number is a multiple of -1, as it is of 1.
      op->setOperand(
          1, arith::SelectOp::create(builder, loc,
                                     isNot(divisor, APInt::getAllOnes(width())),
                                     divisor, constant(APInt(width(), 1))));
      return;
    }
    APInt smallest = APInt::getSignedMinValue(width());
    if (rangeOf(op->getOperand(0)).smin().sgt(smallest))
      return;
    Value fits = arith::OrIOp::create(
        builder, loc, isNot(divisor, APInt::getAllOnes(width())),
        isNot(op->getOperand(0), smallest));
    require(fits, fmt::format("expected a quotient that fits in {} bits, got "
                              "the smallest number divided by -1",
                              width()));
  }

private:
  unsigned width() { return ConstantIntRanges::getStorageBitwidth(type); }

  Value constant(const APInt &number) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  }

  Value isNot(Value value, const APInt &number) {
    return arith::CmpIOp::create(builder, loc, CmpIPredicate::ne, value,
                                 constant(number));
  }

  void require(Value holds, const std::string &what) {
    cf::AssertOp::create(builder, loc, holds, what);
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
  Type type;
  Value divisor;
};

/// Asserts that the loop gets to its end: an unsigned loop in steps other than
/// 0, any other in steps above 0.
void assertStep(LoopLikeOpInterface loop, Value step, bool isUnsigned) {
  ConstantIntRanges range = rangeOf(step);
  if (isUnsigned ? !range.umin().isZero() : range.smin().isStrictlyPositive())
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(step.getType(), 0));
  Value holds = arith::CmpIOp::create(
      builder, loc, isUnsigned ? CmpIPredicate::ne : CmpIPredicate::sgt, step,
      zero);
  cf::AssertOp::create(builder, loc, holds,
                       isUnsigned ? "expected a step other than 0"
                                  : "expected a step above 0");
}

struct AssertDivisorsPass : impl::AssertDivisorsBase<AssertDivisorsPass> {
  using AssertDivisorsBase::AssertDivisorsBase;

  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation()->walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        assertStep(loop, loop.getStep(), loop.getUnsignedCmp());
      if (auto loop = dyn_cast<scf::ParallelOp>(op))
        for (Value step : loop.getStep())
          assertStep(loop, step, /*isUnsigned=*/false);
      // No lowering makes vectors of integers that are divided.
      if (isDivision(op) && op->getOperand(1).getType().isIntOrIndex())
        divisions.push_back(op);
    });
    for (Operation *op : divisions)
      Assertions(op).add();
  }
};

} // namespace
} // namespace npu
