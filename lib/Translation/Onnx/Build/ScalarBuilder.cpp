// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of single elements.

#include "ScalarBuilder.h"

using namespace mlir;

namespace npu {
namespace {

bool isFloatType(Value value) { return isa<FloatType>(value.getType()); }

// By the numbers of the comparisons.
using P = arith::CmpIPredicate;
using F = arith::CmpFPredicate;
constexpr F kOfFloats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
constexpr P kOfSigned[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
constexpr P kOfUnsigned[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};

} // namespace

Value ScalarBuilder::constant(Type type, double number) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return create<arith::ConstantOp>(builder.getFloatAttr(floatType, number));
  return integer(type, static_cast<int64_t>(number));
}

Value ScalarBuilder::integer(Type type, int64_t number) {
  if (isa<FloatType>(type))
    return constant(type, static_cast<double>(number));
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return create<arith::ConstantOp>(builder.getIntegerAttr(
      type, APInt(width, static_cast<uint64_t>(number), /*isSigned=*/false,
                  /*implicitTrunc=*/true)));
}

Value ScalarBuilder::lowest(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return create<arith::ConstantOp>(builder.getFloatAttr(
        floatType,
        APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/true)));
  unsigned width = type.getIntOrFloatBitWidth();
  return create<arith::ConstantOp>(builder.getIntegerAttr(
      type, unsignedIntegers ? APInt::getZero(width)
                             : APInt::getSignedMinValue(width)));
}

Value ScalarBuilder::highest(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return create<arith::ConstantOp>(builder.getFloatAttr(
        floatType, APFloat::getInf(floatType.getFloatSemantics())));
  unsigned width = type.getIntOrFloatBitWidth();
  return create<arith::ConstantOp>(builder.getIntegerAttr(
      type, unsignedIntegers ? APInt::getMaxValue(width)
                             : APInt::getSignedMaxValue(width)));
}

Value ScalarBuilder::add(Value a, Value b) {
  return isFloatType(a) ? create<arith::AddFOp>(a, b)
                        : create<arith::AddIOp>(a, b);
}

Value ScalarBuilder::sub(Value a, Value b) {
  return isFloatType(a) ? create<arith::SubFOp>(a, b)
                        : create<arith::SubIOp>(a, b);
}

Value ScalarBuilder::mul(Value a, Value b) {
  return isFloatType(a) ? create<arith::MulFOp>(a, b)
                        : create<arith::MulIOp>(a, b);
}

Value ScalarBuilder::divisor(Value a, Value b) {
  // 1 where the division would trap.
  Type type = a.getType();
  Value zero = integer(type, 0);
  Value traps = create<arith::CmpIOp>(arith::CmpIPredicate::eq, b, zero);
  if (!unsignedIntegers) {
    Value minusOne = integer(type, -1);
    Value overflows = create<arith::AndIOp>(
        create<arith::CmpIOp>(arith::CmpIPredicate::eq, a, lowest(type)),
        create<arith::CmpIOp>(arith::CmpIPredicate::eq, b, minusOne));
    traps = create<arith::OrIOp>(traps, overflows);
  }
  return select(traps, integer(type, 1), b);
}

Value ScalarBuilder::div(Value a, Value b) {
  if (isFloatType(a))
    return create<arith::DivFOp>(a, b);
  Value safe = divisor(a, b);
  Value quotient = unsignedIntegers ? create<arith::DivUIOp>(a, safe)
                                    : create<arith::DivSIOp>(a, safe);
  Value zero = integer(a.getType(), 0);
  return select(compare(Comparison::Equal, b, zero), zero, quotient);
}

Value ScalarBuilder::rem(Value a, Value b) {
  if (isFloatType(a))
    return create<arith::RemFOp>(a, b);
  Value safe = divisor(a, b);
  return unsignedIntegers ? create<arith::RemUIOp>(a, safe)
                          : create<arith::RemSIOp>(a, safe);
}

Value ScalarBuilder::min(Value a, Value b) {
  if (isFloatType(a))
    return create<arith::MinimumFOp>(a, b);
  return unsignedIntegers ? create<arith::MinUIOp>(a, b)
                          : create<arith::MinSIOp>(a, b);
}

Value ScalarBuilder::max(Value a, Value b) {
  if (isFloatType(a))
    return create<arith::MaximumFOp>(a, b);
  return unsignedIntegers ? create<arith::MaxUIOp>(a, b)
                          : create<arith::MaxSIOp>(a, b);
}

Value ScalarBuilder::neg(Value a) {
  if (isFloatType(a))
    return create<arith::NegFOp>(a);
  return create<arith::SubIOp>(integer(a.getType(), 0), a);
}

Value ScalarBuilder::abs(Value a) {
  if (isFloatType(a))
    return create<math::AbsFOp>(a);
  return unsignedIntegers ? a : create<math::AbsIOp>(a);
}

Value ScalarBuilder::compare(Comparison kind, Value a, Value b) {
  auto number = static_cast<std::size_t>(kind);
  if (isFloatType(a))
    return create<arith::CmpFOp>(kOfFloats[number], a, b);
  return create<arith::CmpIOp>(
      unsignedIntegers ? kOfUnsigned[number] : kOfSigned[number], a, b);
}

Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return create<arith::SelectOp>(condition, a, b);
}

Value ScalarBuilder::floatToInteger(Value from, Type to, bool toUnsigned) {
  // Saturation in floats: what is converted has to fit, or the result is
  // poison. The largest float below 2^N is found by its semantics.
  auto floatType = cast<FloatType>(from.getType());
  unsigned width = to.getIntOrFloatBitWidth();
  auto bound = [&](const APInt &integer) {
    APFloat number(floatType.getFloatSemantics());
    number.convertFromAPInt(integer, /*IsSigned=*/!toUnsigned,
                            APFloat::rmTowardZero);
    return create<arith::ConstantOp>(builder.getFloatAttr(floatType, number));
  };
  Value low = bound(toUnsigned ? APInt::getZero(width)
                               : APInt::getSignedMinValue(width));
  Value high = bound(toUnsigned ? APInt::getMaxValue(width)
                                : APInt::getSignedMaxValue(width));
  Value isNan = create<arith::CmpFOp>(arith::CmpFPredicate::UNO, from, from);
  Value number = select(isNan, constant(floatType, 0), from);
  Value inside =
      create<arith::MinimumFOp>(create<arith::MaximumFOp>(number, low), high);
  return toUnsigned ? create<arith::FPToUIOp>(to, inside)
                    : create<arith::FPToSIOp>(to, inside);
}

Value ScalarBuilder::cast(Value from, OnnxElement toElement) {
  Type to = elementType(toElement, builder.getContext());
  Type type = from.getType();
  if (toElement == OnnxElement::Bool) {
    if (type.isInteger(1))
      return from;
    return compare(Comparison::NotEqual, from, constant(type, 0));
  }
  bool fromFloat = isa<FloatType>(type);
  if (fromFloat && isa<FloatType>(to)) {
    if (type == to)
      return from;
    unsigned fromWidth = type.getIntOrFloatBitWidth();
    unsigned toWidth = to.getIntOrFloatBitWidth();
    // Between f16 and bf16 there is no cast; both fit f32.
    if (fromWidth == toWidth) {
      Value wide = create<arith::ExtFOp>(builder.getF32Type(), from);
      return create<arith::TruncFOp>(to, wide);
    }
    return fromWidth < toWidth ? create<arith::ExtFOp>(to, from)
                               : create<arith::TruncFOp>(to, from);
  }
  if (fromFloat)
    return floatToInteger(from, to, isUnsigned(toElement));
  if (isa<FloatType>(to))
    return unsignedIntegers ? create<arith::UIToFPOp>(to, from)
                            : create<arith::SIToFPOp>(to, from);
  unsigned fromWidth = type.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return from;
  if (fromWidth > toWidth)
    return create<arith::TruncIOp>(to, from);
  return unsignedIntegers ? create<arith::ExtUIOp>(to, from)
                          : create<arith::ExtSIOp>(to, from);
}

Value ScalarBuilder::fromIndex(Value index, Type type) {
  if (isa<FloatType>(type)) {
    Value wide = create<arith::IndexCastOp>(builder.getI64Type(), index);
    return create<arith::SIToFPOp>(type, wide);
  }
  return create<arith::IndexCastOp>(type, index);
}

Value ScalarBuilder::toIndex(Value number) {
  if (isFloatType(number))
    number = create<arith::FPToSIOp>(builder.getI64Type(), number);
  return unsignedIntegers
             ? create<arith::IndexCastUIOp>(builder.getIndexType(), number)
             : create<arith::IndexCastOp>(builder.getIndexType(), number);
}

} // namespace npu
