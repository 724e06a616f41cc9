// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IntegerReadings.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace npu {
namespace {

unsigned bitsOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// 2^bits; a little more where sums in f64 have rounding errors of that size.
double endOf(unsigned bits) {
  return std::ldexp(bits > 52 ? 1 + 0x1p-30 : 1, static_cast<int>(bits));
}

Value both(Arithmetic64 &f, Value a, Value b) {
  return arith::AndIOp::create(f.builder, f.loc, a, b);
}

/// low <= value < end
Value isWithin(Arithmetic64 &f, Value value, double low, double end) {
  return both(f, f.compare(arith::CmpFPredicate::OGE, value, f.constant(low)),
              f.compare(arith::CmpFPredicate::OLT, value, f.constant(end)));
}

/// Whether a value is one of both readings of an integer of so many bits.
Value isReading(Arithmetic64 &f, Value value, unsigned bits) {
  return isWithin(f, value, -endOf(bits) / 2, endOf(bits));
}

/// Whether an integer's f64 value is one that its bits have as they are read.
Value isRead(Tracker &tracker, Value integer, bool isSigned) {
  Arithmetic64 f(tracker.builder, integer.getLoc());
  unsigned bits = bitsOf(integer.getType());
  Value wide = tracker.shadowOf(integer).value;
  return isSigned ? isWithin(f, wide, -endOf(bits) / 2, endOf(bits) / 2)
                  : isReading(f, wide, bits);
}

/// The number that an integer is meant to be, in f64: as its bits are read,
/// or where it has wrapped around, the number that it would be.
Value numberOf(Tracker &tracker, Value integer, bool isSigned) {
  Value reading = readingOf(tracker, integer, isSigned);
  Value wide = tracker.shadowOf(integer).value;
  if (!wide)
    return reading;
  Arithmetic64 f(tracker.builder, integer.getLoc());
  return f.select(isRead(tracker, integer, isSigned), reading, wide);
}

} // namespace

Value readingOf(Tracker &tracker, Value integer, bool isSigned) {
  Location loc = integer.getLoc();
  Value bits = tracker.own(integer);
  if (bits.getType().isIndex())
    bits = arith::IndexCastOp::create(tracker.builder, loc,
                                      tracker.builder.getI64Type(), bits);
  Type f64 = tracker.builder.getF64Type();
  return isSigned ? arith::SIToFPOp::create(tracker.builder, loc, f64, bits)
                        .getResult()
                  : arith::UIToFPOp::create(tracker.builder, loc, f64, bits)
                        .getResult();
}

Value errorOfReading(Tracker &tracker, Value integer, bool isSigned) {
  Value error = tracker.errorOf(integer);
  unsigned bits = bitsOf(integer.getType());
  // Both readings of one bit are no farther apart than its error says.
  if (!error || bits == 1)
    return error;
  Arithmetic64 f(tracker.builder, integer.getLoc());
  Value reading = readingOf(tracker, integer, isSigned);
  double end = std::ldexp(1.0, static_cast<int>(isSigned ? bits - 1 : bits));
  double low = isSigned ? -end : 0;
  Value stays = both(f,
                     f.compare(arith::CmpFPredicate::OGE, f.sub(reading, error),
                               f.constant(low)),
                     f.compare(arith::CmpFPredicate::OLT, f.add(reading, error),
                               f.constant(end)));
  Value isExact = f.compare(arith::CmpFPredicate::OEQ, error, f.constant(0));
  stays = arith::OrIOp::create(tracker.builder, f.loc, stays, isExact);
  return f.select(stays, error,
                  f.constant(std::numeric_limits<double>::infinity()));
}

Value combined(Tracker &tracker, Operation *op,
               llvm::function_ref<Value(Value, Value)> combine) {
  Arithmetic64 f(tracker.builder, op->getLoc());
  unsigned bits = bitsOf(op->getResult(0).getType());
  Value x = op->getOperand(0), y = op->getOperand(1);
  Value a = tracker.scalar(x).value, b = tracker.scalar(y).value;
  Value value = combine(a, b);
  // The same without signs, unless an operand has wrapped around already.
  Value plain =
      combine(readingOf(tracker, x, false), readingOf(tracker, y, false));
  Value isPlain = both(f, both(f, isReading(f, a, bits), isReading(f, b, bits)),
                       isWithin(f, plain, 0, endOf(bits)));
  Value other = f.select(isPlain, plain, value);
  return f.select(isReading(f, value, bits), value, other);
}

Value extendedInteger(Tracker &tracker, Operation *op) {
  Value from = op->getOperand(0);
  Value wide = tracker.shadowOf(from).value;
  if (!wide)
    return {};
  Arithmetic64 f(tracker.builder, op->getLoc());
  bool isSigned = isa<arith::ExtSIOp>(op);
  Value reading = readingOf(tracker, op->getResult(0), isSigned);
  return f.select(isRead(tracker, from, isSigned), reading, wide);
}

Value widened(Tracker &tracker, Operation *op, bool isSigned,
              llvm::function_ref<Value(Arithmetic64 &, ValueRange)> combine) {
  if (llvm::none_of(op->getOperands(),
                    [&](Value v) { return tracker.shadowOf(v).value; }))
    return {};
  Arithmetic64 f(tracker.builder, op->getLoc());
  SmallVector<Value> numbers;
  for (Value operand : op->getOperands())
    numbers.push_back(numberOf(tracker, operand, isSigned));
  Value result = op->getResult(0), wide = combine(f, numbers);
  unsigned bits = bitsOf(result.getType());
  // f64 has not all digits of 64 bits: those of the result are right.
  if (bits <= 52)
    return wide;
  return f.select(isReading(f, wide, bits),
                  readingOf(tracker, result, isSigned), wide);
}

} // namespace npu
