// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running error bounds of arithmetic on floats (Higham, Accuracy and Stability
// of Numerical Algorithms, 2002, sections 2 and 3.3, with bounds of the
// operands carried along).

#include "IntegerReadings.h"
#include "Tracker.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace npu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value massOf(Arithmetic64 &f, const Shadow &shadow) {
  return shadow.mass ? shadow.mass : f.abs(shadow.value);
}

Shadow sum(Arithmetic64 &f, FloatType type, const Shadow &a, const Shadow &b,
           bool isDifference) {
  Shadow z;
  z.value = isDifference ? f.sub(a.value, b.value) : f.add(a.value, b.value);
  // A sum below the smallest normal number is exact.
  z.error = f.rounded(z.value, f.addBounds(a.error, b.error), type, 0.5,
                      /*underflows=*/false);
  z.mass = f.add(massOf(f, a), massOf(f, b));
  return z;
}

/// The bound of x * y of exact products.
Value productBound(Arithmetic64 &f, const Shadow &a, const Shadow &b) {
  Value bound = f.addBounds(f.scaleBound(f.abs(a.value), b.error),
                            f.scaleBound(f.abs(b.value), a.error));
  if (a.error && b.error)
    bound = f.add(bound, f.mul(a.error, b.error));
  return bound;
}

Value productMass(Arithmetic64 &f, const Shadow &a, const Shadow &b) {
  return a.mass || b.mass ? f.mul(massOf(f, a), massOf(f, b)) : Value();
}

Shadow product(Arithmetic64 &f, FloatType type, const Shadow &a,
               const Shadow &b) {
  Shadow z;
  z.value = f.mul(a.value, b.value);
  z.error = f.rounded(z.value, productBound(f, a, b), type);
  z.mass = productMass(f, a, b);
  return z;
}

Shadow quotient(Arithmetic64 &f, FloatType type, const Shadow &a,
                const Shadow &b) {
  Shadow z;
  z.value = f.div(a.value, b.value);
  Value magnitude = f.abs(b.value), bound;
  if (a.error || b.error) {
    Value above = f.addBounds(a.error, f.scaleBound(f.abs(z.value), b.error));
    Value below = b.error ? f.sub(magnitude, b.error) : magnitude;
    Value isAway = f.compare(arith::CmpFPredicate::OGT, below, f.constant(0));
    // Without an error there is none, also where the divisor is 0.
    Value isExact = f.compare(arith::CmpFPredicate::OEQ,
                              f.addBounds(a.error, b.error), f.constant(0));
    bound = f.select(isAway, f.div(above, below), f.constant(kInfinity));
    bound = f.select(isExact, f.constant(0), bound);
  }
  z.error = f.rounded(z.value, bound, type);
  if (a.mass || b.mass) {
    z.mass = f.div(massOf(f, a), magnitude);
    if (b.mass)
      z.mass = f.mul(z.mass, f.div(b.mass, magnitude));
  }
  return z;
}

Shadow fused(Arithmetic64 &f, FloatType type, const Shadow &a, const Shadow &b,
             const Shadow &c) {
  Shadow z;
  Value exact = f.mul(a.value, b.value);
  z.value = f.add(exact, c.value);
  Value bound = f.addBounds(productBound(f, a, b), c.error);
  // The reference rounds the product by itself.
  bound = f.addBounds(bound, f.mul(f.constant(0x1p-52), f.abs(exact)));
  z.error = f.rounded(z.value, bound, type);
  z.mass = f.add(f.mul(massOf(f, a), massOf(f, b)), massOf(f, c));
  return z;
}

/// Devices compare bf16 in f32, and converting the result back may make a
/// number below the smallest normal one 0.
Value flushed(Arithmetic64 &f, const Shadow &z) {
  Value least = f.abs(z.value), tiny = f.constant(0x1p-126);
  if (z.error)
    least = f.sub(least, z.error);
  return f.select(f.compare(arith::CmpFPredicate::OLT, least, tiny), tiny,
                  f.constant(0));
}

/// The larger or the smaller one: no farther off than the one that may be it.
Shadow extreme(Arithmetic64 &f, Operation *op, const Shadow &a,
               const Shadow &b) {
  bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  Shadow z;
  Operation *value =
      f.builder.create(op->getLoc(), op->getName().getIdentifier(),
                       {a.value, b.value}, TypeRange{f.builder.getF64Type()});
  z.value = value->getResult(0);
  Value first = a.error ? a.error : f.constant(0);
  Value second = b.error ? b.error : f.constant(0);
  if (a.error || b.error) {
    Value gap = isMax ? f.sub(a.value, b.value) : f.sub(b.value, a.value);
    Value both = f.add(first, second);
    Value isFirst = f.compare(arith::CmpFPredicate::OGT, gap, both);
    Value isSecond = f.compare(
        arith::CmpFPredicate::OGT,
        isMax ? f.sub(b.value, a.value) : f.sub(a.value, b.value), both);
    z.error = f.select(isFirst, first,
                       f.select(isSecond, second, f.max(first, second)));
  }
  if (op->getResult(0).getType().isBF16())
    z.error = f.addBounds(z.error, flushed(f, z));
  if (a.mass || b.mass) {
    Value isFirst = f.compare(arith::CmpFPredicate::OEQ, z.value, a.value);
    Value isSecond = f.compare(arith::CmpFPredicate::OEQ, z.value, b.value);
    Value first = massOf(f, a), second = massOf(f, b);
    // NaN came of either.
    z.mass = f.select(isFirst, first,
                      f.select(isSecond, second, f.add(first, second)));
  }
  return z;
}

/// x rounded to a type. What is exact in a narrower one stays exact.
Shadow converted(Arithmetic64 &f, FloatType type, const Shadow &a) {
  return {a.value, f.rounded(a.value, a.error, type), a.mass};
}

/// Of a comparison of floats, the bound is 1 where the operands are nearer to
/// each other than their errors.
Value mayTurn(Arithmetic64 &f, const Shadow &a, const Shadow &b) {
  Value both = f.addBounds(a.error, b.error);
  if (!both)
    return {};
  Value isApart = f.compare(arith::CmpFPredicate::OGT,
                            f.abs(f.sub(a.value, b.value)), both);
  Value isExact = f.compare(arith::CmpFPredicate::OEQ, both, f.constant(0));
  Value isSafe = arith::OrIOp::create(f.builder, f.loc, isApart, isExact);
  return f.select(isSafe, f.constant(0), f.constant(1));
}

/// Whether a comparison only asks whether there is a NaN.
bool asksForNaN(arith::CmpFPredicate predicate) {
  return predicate == arith::CmpFPredicate::UNO ||
         predicate == arith::CmpFPredicate::ORD;
}

/// Of a question for NaN, the bound is 1 where an operand has none: a finite
/// error makes no NaN of a number.
Value mayBeNaN(Arithmetic64 &f, const Shadow &a, const Shadow &b) {
  Value both = f.addBounds(a.error, b.error);
  if (!both)
    return {};
  Value isFinite =
      f.compare(arith::CmpFPredicate::OLT, both, f.constant(kInfinity));
  return f.select(isFinite, f.constant(0), f.constant(1));
}

} // namespace

bool trackFloat(Tracker &tracker, Operation *op) {
  if (op->getNumResults() != 1 || isa<ShapedType>(op->getResult(0).getType()))
    return false;
  Arithmetic64 f(tracker.builder, op->getLoc());
  auto type = dyn_cast<FloatType>(op->getResult(0).getType());
  auto at = [&](unsigned i) { return tracker.scalar(op->getOperand(i)); };
  auto give = [&](const Shadow &shadow) {
    tracker.set(op->getResult(0), shadow);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp) {
        if (!type)
          return false;
        return give({tracker.clonePlain(op)->getResult(0), Value(), Value()});
      })
      .Case([&](arith::AddFOp) {
        return give(sum(f, type, at(0), at(1), false));
      })
      .Case(
          [&](arith::SubFOp) { return give(sum(f, type, at(0), at(1), true)); })
      .Case([&](arith::MulFOp) { return give(product(f, type, at(0), at(1))); })
      .Case(
          [&](arith::DivFOp) { return give(quotient(f, type, at(0), at(1))); })
      .Case([&](math::FmaOp) {
        return give(fused(f, type, at(0), at(1), at(2)));
      })
      .Case([&](arith::NegFOp) {
        Shadow a = at(0);
        a.value = arith::NegFOp::create(tracker.builder, op->getLoc(), a.value);
        return give(a);
      })
      .Case([&](math::AbsFOp) {
        Shadow a = at(0);
        a.value = f.abs(a.value);
        return give(a);
      })
      .Case([&](math::CopySignOp) {
        Shadow a = at(0), sign = at(1);
        Value value = math::CopySignOp::create(tracker.builder, op->getLoc(),
                                               a.value, sign.value);
        Shadow zero{f.constant(0), Value(), Value()};
        if (Value turns = mayTurn(f, sign, zero))
          a.error = f.addBounds(
              a.error, f.mul(turns, f.mul(f.constant(2), f.abs(a.value))));
        a.value = value;
        return give(a);
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(
          [&](Operation *) { return give(extreme(f, op, at(0), at(1))); })
      .Case([&](arith::ExtFOp) { return give(at(0)); })
      .Case([&](arith::TruncFOp) { return give(converted(f, type, at(0))); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](Operation *) {
        Value from = op->getOperand(0);
        bool isSigned = isa<arith::SIToFPOp>(op);
        // The number that the bits stand for, also where they wrapped around.
        Shadow a{readingOf(tracker, from, isSigned),
                 errorOfReading(tracker, from, isSigned), Value()};
        unsigned bits = from.getType().getIntOrFloatBitWidth();
        unsigned precision = type.getFPMantissaWidth();
        bool isExact = bits <= precision && !a.error;
        return give(isExact ? Shadow{a.value, Value(), Value()}
                            : Shadow{a.value, f.rounded(a.value, a.error, type),
                                     Value()});
      })
      .Case([&](arith::CmpFOp compare) {
        Shadow a = at(0), b = at(1);
        Value copy =
            arith::CmpFOp::create(tracker.builder, op->getLoc(),
                                  compare.getPredicate(), a.value, b.value);
        tracker.setCopy(op->getResult(0), copy);
        Value turns = asksForNaN(compare.getPredicate()) ? mayBeNaN(f, a, b)
                                                         : mayTurn(f, a, b);
        if (turns)
          tracker.set(op->getResult(0), {Value(), turns, Value()});
        return true;
      })
      .Case([&](arith::SelectOp choice) {
        if (!type)
          return false;
        Value condition = tracker.own(choice.getCondition());
        Shadow a = at(1), b = at(2), z;
        z.value = f.select(condition, a.value, b.value);
        if (a.error || b.error)
          z.error = f.select(condition, a.error ? a.error : f.constant(0),
                             b.error ? b.error : f.constant(0));
        if (a.mass || b.mass)
          z.mass = f.select(condition, massOf(f, a), massOf(f, b));
        if (Value turns = tracker.errorOf(choice.getCondition())) {
          Value apart = f.abs(f.sub(a.value, b.value));
          Value other = f.addBounds(apart, f.maxBounds(a.error, b.error));
          Value isSafe =
              f.compare(arith::CmpFPredicate::OLE, turns, f.constant(0));
          z.error = f.select(isSafe, z.error ? z.error : f.constant(0), other);
        }
        return give(z);
      })
      .Default([](Operation *) { return false; });
}

} // namespace npu
