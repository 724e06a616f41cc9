// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of mathematical functions. A device computes them in f32 (of f64, in
// f64) within kLibraryUlps units in the last place and rounds once to the type;
// what an error of the operand does follows from values at the ends of its
// interval.

#include "Tracker.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace npu {
namespace {

/// Of what libm really does, twice the worst that was measured (see
/// docs/audit.md).
constexpr double kLibraryUlps = 6;

/// Units in the last place of `type` within which a library function is.
double ulpsIn(FloatType type) {
  int precision = type.getFPMantissaWidth();
  if (precision >= 24)
    return kLibraryUlps;
  return 0.5 + std::ldexp(kLibraryUlps, precision - 24) * 1.01;
}

/// sqrt and its like keep of the condition what the value keeps.
Value massOfRoot(Arithmetic64 &f, const Shadow &a, Value value) {
  if (!a.mass)
    return {};
  Value isPositive =
      f.compare(arith::CmpFPredicate::OGT, a.value, f.constant(0));
  return f.select(isPositive,
                  f.mul(f.abs(value), f.div(a.mass, f.abs(a.value))),
                  f.sqrt(a.mass));
}

Value evaluate(Tracker &tracker, Operation *op, ValueRange operands) {
  return tracker.builder
      .create(op->getLoc(), op->getName().getIdentifier(), operands,
              TypeRange{tracker.builder.getF64Type()})
      ->getResult(0);
}

/// A function that grows or falls everywhere: an error of the operand changes
/// it by no more than at the ends of the interval.
Shadow monotone(Tracker &tracker, Operation *op, double ulps, bool rounds) {
  Arithmetic64 f(tracker.builder, op->getLoc());
  auto type = cast<FloatType>(op->getResult(0).getType());
  Shadow a = tracker.scalar(op->getOperand(0)), z;
  z.value = evaluate(tracker, op, a.value);
  Value bound;
  if (a.error) {
    Value low = f.sub(a.value, a.error), high = f.add(a.value, a.error);
    if (isa<math::SqrtOp>(op)) {
      // What would be the root of a negative number is NaN, and found as such.
      Value isNegative =
          f.compare(arith::CmpFPredicate::OLT, a.value, f.constant(0));
      low = f.select(isNegative, low, f.max(low, f.constant(0)));
    }
    bound = f.max(f.abs(f.sub(evaluate(tracker, op, high), z.value)),
                  f.abs(f.sub(z.value, evaluate(tracker, op, low))));
    Value isExact =
        f.compare(arith::CmpFPredicate::OEQ, a.error, f.constant(0));
    bound = f.select(isExact, f.constant(0), bound);
  }
  z.error = rounds ? f.rounded(z.value, bound, type, ulps) : bound;
  if (isa<math::SqrtOp, math::CbrtOp>(op))
    z.mass = massOfRoot(f, a, z.value);
  return z;
}

} // namespace

bool trackLibrary(Tracker &tracker, Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<FloatType>(op->getResult(0).getType());
  if (!type || !isa<math::MathDialect>(op->getDialect()))
    return false;
  Arithmetic64 f(tracker.builder, op->getLoc());
  double ulps = ulpsIn(type);
  auto give = [&](const Shadow &shadow) {
    tracker.set(op->getResult(0), shadow);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case(
          [&](math::SqrtOp) { return give(monotone(tracker, op, 0.5, true)); })
      .Case<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op,
            math::TanhOp, math::ErfOp, math::ErfcOp, math::AtanOp, math::AsinOp,
            math::AcosOp, math::AsinhOp, math::AcoshOp, math::AtanhOp,
            math::SinhOp, math::CbrtOp>(
          [&](Operation *) { return give(monotone(tracker, op, ulps, true)); })
      .Case<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
            math::TruncOp>(
          [&](Operation *) { return give(monotone(tracker, op, 0, false)); })
      .Case([&](math::RsqrtOp) {
        // The device takes a root and divides.
        Shadow z = monotone(tracker, op,
                            type.getFPMantissaWidth() < 24 ? 1.5 : ulps, true);
        Shadow a = tracker.scalar(op->getOperand(0));
        if (a.mass)
          z.mass = f.mul(f.abs(z.value), f.div(a.mass, f.abs(a.value)));
        return give(z);
      })
      .Case<math::SinOp, math::CosOp>([&](Operation *) {
        Shadow a = tracker.scalar(op->getOperand(0));
        Value value = evaluate(tracker, op, a.value);
        Value infinite = f.constant(std::numeric_limits<double>::infinity());
        // Of an infinite operand, they are NaN.
        Value bound = a.error
                          ? f.select(f.compare(arith::CmpFPredicate::OLT,
                                               a.error, infinite),
                                     f.min(a.error, f.constant(2)), infinite)
                          : Value();
        return give({value, f.rounded(value, bound, type, ulps), Value()});
      })
      .Case<math::ExpM1Op, math::Log1pOp>([&](Operation *) {
        // The lowering of this machine computes exp(x) - 1 and log(1 + x) in
        // these steps; the bound covers them and functions that do better.
        Shadow z = monotone(tracker, op, ulps, true),
               a = tracker.scalar(op->getOperand(0));
        Value one = f.constant(1), slope = one;
        if (isa<math::Log1pOp>(op)) {
          Value shifted = f.abs(f.add(one, a.value));
          slope = f.div(f.add(shifted, a.error ? a.error : f.constant(0)),
                        a.error ? f.sub(shifted, a.error) : shifted);
          slope = f.select(
              f.compare(arith::CmpFPredicate::OGE, slope, f.constant(0)), slope,
              f.constant(std::numeric_limits<double>::infinity()));
        } else {
          slope = f.add(f.abs(z.value), f.constant(2));
        }
        double unit = std::ldexp(2 * kLibraryUlps,
                                 1 - static_cast<int>(std::min<unsigned>(
                                         type.getFPMantissaWidth(), 53)));
        z.error = f.addBounds(z.error, f.mul(f.constant(unit), slope));
        return give(z);
      })
      .Case([&](math::PowFOp) {
        Shadow a = tracker.scalar(op->getOperand(0)),
               b = tracker.scalar(op->getOperand(1));
        Value value = evaluate(tracker, op, {a.value, b.value}), bound;
        if (a.error || b.error) {
          Value da = a.error ? a.error : f.constant(0);
          Value db = b.error ? b.error : f.constant(0);
          Value low = f.sub(a.value, da), high = f.add(a.value, da);
          for (Value x : {low, high})
            for (Value y : {f.sub(b.value, db), f.add(b.value, db)})
              bound = f.maxBounds(
                  bound, f.abs(f.sub(evaluate(tracker, op, {x, y}), value)));
          // With an exact exponent of at least 1, the slope is largest at the
          // end of the interval that is farther from 0.
          Value one = f.constant(1);
          Value slope =
              f.mul(b.value,
                    evaluate(tracker, op,
                             {f.add(f.abs(a.value), da), f.sub(b.value, one)}));
          Value infinite = f.constant(std::numeric_limits<double>::infinity());
          Value hasSlope = arith::AndIOp::create(
              tracker.builder, op->getLoc(),
              f.compare(arith::CmpFPredicate::OGE, b.value, one),
              f.compare(arith::CmpFPredicate::OEQ, db, f.constant(0)));
          Value isPositive =
              f.compare(arith::CmpFPredicate::OGT, low, f.constant(0));
          bound = f.select(isPositive, bound,
                           f.select(hasSlope, f.mul(slope, da), infinite));
          bound = f.select(f.compare(arith::CmpFPredicate::OEQ, f.add(da, db),
                                     f.constant(0)),
                           f.constant(0), bound);
        }
        return give({value, f.rounded(value, bound, type, ulps), Value()});
      })
      .Default([](Operation *) { return false; });
}

} // namespace npu
