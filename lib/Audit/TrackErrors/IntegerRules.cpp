// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers are computed as they are. Beside sums and products, their value in
// f64 does not wrap around, and where a float with an error was rounded to an
// integer, a bound follows it. A bound is one of the distance modulo 2^bits.

#include "IntegerReadings.h"
#include "Tracker.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace npu {
namespace {

/// Rounding to integers: the bound of the float, and 1 more where the next
/// integer is as near as the error.
Value crossing(Arithmetic64 &f, const Shadow &a, Value whole) {
  if (!a.error)
    return {};
  Value isExact = f.compare(arith::CmpFPredicate::OEQ, a.error, f.constant(0));
  // The distance from the value to the integer that it was cut to, and from
  // there to where the next one begins.
  Value rest = f.abs(f.sub(a.value, whole));
  Value inside = arith::AndIOp::create(
      f.builder, f.loc,
      f.compare(arith::CmpFPredicate::OLT, f.add(rest, a.error), f.constant(1)),
      f.compare(arith::CmpFPredicate::OGT, rest, a.error));
  Value safe = arith::OrIOp::create(f.builder, f.loc, isExact, inside);
  return f.select(safe, f.constant(0), f.add(a.error, f.constant(1)));
}

/// No bound where the type has no integer for a float, as for NaN: what a
/// device gives then is its own affair.
Value unboundOutside(Arithmetic64 &f, const Shadow &a, Value error, Type type,
                     bool isSigned) {
  int bits = static_cast<int>(type.getIntOrFloatBitWidth()) - isSigned;
  double end = std::ldexp(1.0, bits), low = isSigned ? -end : 0;
  // What is cut to the lowest integer begins above the next lower one, where
  // f64 has that.
  bool hasNext = low - 1 != low;
  Value least = a.value, most = a.value;
  if (a.error) {
    least = f.sub(a.value, a.error);
    most = f.add(a.value, a.error);
  }
  Value holds = arith::AndIOp::create(
      f.builder, f.loc,
      f.compare(hasNext ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OGE,
                least, f.constant(hasNext ? low - 1 : low)),
      f.compare(arith::CmpFPredicate::OLT, most, f.constant(end)));
  return f.select(holds, error ? error : f.constant(0),
                  f.constant(std::numeric_limits<double>::infinity()));
}

bool isUnsigned(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return true;
  default:
    return false;
  }
}

} // namespace

bool trackInteger(Tracker &tracker, Operation *op) {
  // Whatever has no float and no region is computed as it is.
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      !op->getResult(0).getType().isIntOrIndex() ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return type.isIntOrIndex() || isa<FloatType>(type);
      }))
    return false;
  Location loc = op->getLoc();
  Arithmetic64 f(tracker.builder, loc);
  Value result = op->getResult(0);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    Shadow a = tracker.scalar(op->getOperand(0));
    Operation *copy = tracker.builder.create(loc, op->getName().getIdentifier(),
                                             a.value, op->getResultTypes());
    tracker.setCopy(result, copy->getResult(0));
    Value whole = math::TruncOp::create(tracker.builder, loc, a.value);
    Value error = crossing(f, a, whole);
    tracker.set(result, {whole,
                         unboundOutside(f, a, error, result.getType(),
                                        isa<arith::FPToSIOp>(op)),
                         Value()});
    return true;
  }
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<FloatType>))
    return false;
  tracker.clonePlain(op);
  Value a =
      op->getNumOperands() > 0 ? tracker.errorOf(op->getOperand(0)) : Value();
  Value b =
      op->getNumOperands() > 1 ? tracker.errorOf(op->getOperand(1)) : Value();
  auto wide = [&](unsigned i) { return tracker.scalar(op->getOperand(i)); };
  auto readError = [&](unsigned i, bool isSigned) {
    return errorOfReading(tracker, op->getOperand(i), isSigned);
  };
  auto give = [&](Value value, Value error) {
    tracker.set(result, {value, error, Value()});
    return true;
  };
  bool isNumber = !result.getType().isInteger(1);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp) { return true; })
      .Case([&](arith::AddIOp) {
        if (!isNumber || result.getType().isIndex()) {
          tracker.unboundWhere(op, f.addBounds(a, b));
          return true;
        }
        auto add = [&](Value x, Value y) { return f.add(x, y); };
        return give(combined(tracker, op, add), f.addBounds(a, b));
      })
      .Case([&](arith::SubIOp) {
        if (!isNumber || result.getType().isIndex()) {
          tracker.unboundWhere(op, f.addBounds(a, b));
          return true;
        }
        auto sub = [&](Value x, Value y) { return f.sub(x, y); };
        return give(combined(tracker, op, sub), f.addBounds(a, b));
      })
      .Case([&](arith::MulIOp) {
        if (!isNumber || result.getType().isIndex()) {
          tracker.unboundWhere(op, f.addBounds(a, b));
          return true;
        }
        Value x = wide(0).value, y = wide(1).value;
        Value bound =
            f.addBounds(f.scaleBound(f.abs(x), b), f.scaleBound(f.abs(y), a));
        if (a && b)
          bound = f.add(bound, f.mul(a, b));
        auto mul = [&](Value p, Value q) { return f.mul(p, q); };
        return give(combined(tracker, op, mul), bound);
      })
      .Case([&](math::IPowIOp) {
        Value power = math::TruncOp::create(
            tracker.builder, loc,
            math::PowFOp::create(tracker.builder, loc, wide(0).value,
                                 wide(1).value));
        // Of powers of 64 bits, f64 has only some digits.
        if (isNumber && result.getType().getIntOrFloatBitWidth() <= 52)
          give(power, Value());
        tracker.unboundWhere(op, f.addBounds(a, b));
        return true;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](Operation *) {
        return give(extendedInteger(tracker, op),
                    readError(0, isa<arith::ExtSIOp>(op)));
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](Operation *) {
        bool isSigned = isa<arith::IndexCastOp>(op);
        Value number;
        if (!result.getType().isIndex())
          number = isSigned ? wide(0).value
                            : readingOf(tracker, op->getOperand(0),
                                        /*isSigned=*/false);
        if (number || a)
          give(number, readError(0, isSigned));
        return true;
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](Operation *) {
            Value number = widened(
                tracker, op, /*isSigned=*/true,
                [&](Arithmetic64 &f, ValueRange numbers) -> Value {
                  Value exact = f.div(numbers[0], numbers[1]);
                  if (isa<arith::FloorDivSIOp>(op))
                    return math::FloorOp::create(tracker.builder, loc, exact);
                  if (isa<arith::CeilDivSIOp>(op))
                    return math::CeilOp::create(tracker.builder, loc, exact);
                  return math::TruncOp::create(tracker.builder, loc, exact);
                });
            if (number)
              give(number, Value());
            tracker.unboundWhere(op, f.addBounds(a, b));
            return true;
          })
      .Case([&](arith::TruncIOp) {
        // The bits that are cut off are part of the number. A condition is
        // none.
        if (isNumber)
          give(wide(0).value, a);
        else if (a)
          give(Value(), a);
        return true;
      })
      .Case<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
          [&](Operation *) {
            bool isSigned = isa<arith::MaxSIOp, arith::MinSIOp>(op);
            bool isMax = isa<arith::MaxSIOp, arith::MaxUIOp>(op);
            Value number = widened(tracker, op, isSigned,
                                   [&](Arithmetic64 &f, ValueRange numbers) {
                                     return isMax
                                                ? f.max(numbers[0], numbers[1])
                                                : f.min(numbers[0], numbers[1]);
                                   });
            if (number || a || b)
              give(number,
                   f.maxBounds(readError(0, isSigned), readError(1, isSigned)));
            return true;
          })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](Operation *) {
        // Of the bitwise operations, those on conditions have bounds.
        if (isNumber)
          tracker.unboundWhere(op, f.addBounds(a, b));
        else if (a || b)
          give(Value(), f.maxBounds(a, b));
        return true;
      })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) {
        // Machines differ in what they make of shifts by all bits and more.
        unsigned bits = result.getType().isIndex()
                            ? 64
                            : result.getType().getIntOrFloatBitWidth();
        Value amount =
            readingOf(tracker, op->getOperand(1), /*isSigned=*/false);
        Value isTooFar =
            f.compare(arith::CmpFPredicate::OGE, amount, f.constant(bits));
        Value flag = f.select(isTooFar, f.constant(1), f.constant(0));
        // A product with 2^amount, or a quotient. Bits that are shifted to the
        // right without a sign are taken as they are.
        auto factorOf = [&](Value y) -> Value {
          return math::Exp2Op::create(tracker.builder, loc, y);
        };
        bool isInteger = isNumber && !result.getType().isIndex();
        if (isInteger && isa<arith::ShLIOp>(op))
          give(
              combined(tracker, op,
                       [&](Value x, Value y) { return f.mul(x, factorOf(y)); }),
              Value());
        if (isInteger && isa<arith::ShRSIOp>(op)) {
          Value number =
              widened(tracker, op, /*isSigned=*/true,
                      [&](Arithmetic64 &f, ValueRange numbers) -> Value {
                        return math::FloorOp::create(
                            tracker.builder, loc,
                            f.div(numbers[0], factorOf(numbers[1])));
                      });
          if (number)
            give(number, Value());
        }
        tracker.unboundWhere(op, f.addBounds(flag, f.addBounds(a, b)));
        return true;
      })
      .Case([&](arith::CmpIOp compare) {
        bool isSigned = !isUnsigned(compare.getPredicate());
        Value both =
            f.addBounds(readError(0, isSigned), readError(1, isSigned));
        if (!both)
          return true;
        Value apart =
            f.abs(f.sub(readingOf(tracker, op->getOperand(0), isSigned),
                        readingOf(tracker, op->getOperand(1), isSigned)));
        Value safe = arith::OrIOp::create(
            tracker.builder, loc,
            f.compare(arith::CmpFPredicate::OGT, apart, both),
            f.compare(arith::CmpFPredicate::OEQ, both, f.constant(0)));
        return give(Value(), f.select(safe, f.constant(0), f.constant(1)));
      })
      .Case([&](arith::SelectOp choice) {
        Value turns = tracker.errorOf(choice.getCondition());
        Value x = tracker.errorOf(choice.getTrueValue()),
              y = tracker.errorOf(choice.getFalseValue());
        // What has wrapped around is so wherever it is chosen.
        Value number;
        if (isNumber && !result.getType().isIndex() &&
            (tracker.shadowOf(choice.getTrueValue()).value ||
             tracker.shadowOf(choice.getFalseValue()).value))
          number = f.select(tracker.own(choice.getCondition()), wide(1).value,
                            wide(2).value);
        if (!number && !turns && !x && !y)
          return true;
        Value bound = f.maxBounds(x, y);
        if (turns) {
          Value apart = f.abs(f.sub(wide(1).value, wide(2).value));
          Value isSafe =
              f.compare(arith::CmpFPredicate::OLE, turns, f.constant(0));
          Value other = f.select(isSafe, f.constant(0), apart);
          bound = f.addBounds(bound, other);
        }
        return give(number, bound);
      })
      .Default([&](Operation *) {
        Value any;
        for (Value operand : op->getOperands())
          any = f.addBounds(any, tracker.errorOf(operand));
        tracker.unboundWhere(op, any);
        return true;
      });
}

} // namespace npu
