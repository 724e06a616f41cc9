// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arithmetic64.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace npu {

Value Arithmetic64::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF64FloatAttr(value));
}

Value Arithmetic64::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value Arithmetic64::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}

Value Arithmetic64::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

Value Arithmetic64::div(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}

Value Arithmetic64::abs(Value a) {
  return math::AbsFOp::create(builder, loc, a);
}

Value Arithmetic64::sqrt(Value a) {
  return math::SqrtOp::create(builder, loc, a);
}

Value Arithmetic64::max(Value a, Value b) {
  return arith::MaximumFOp::create(builder, loc, a, b);
}

Value Arithmetic64::min(Value a, Value b) {
  return arith::MinimumFOp::create(builder, loc, a, b);
}

Value Arithmetic64::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value Arithmetic64::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value Arithmetic64::addBounds(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return add(a, b);
}

Value Arithmetic64::maxBounds(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return max(a, b);
}

Value Arithmetic64::scaleBound(Value factor, Value bound) {
  return bound ? mul(factor, bound) : Value();
}

Value Arithmetic64::rounded(Value value, Value propagated, FloatType type,
                            double ulps, bool underflows) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int precision = llvm::APFloat::semanticsPrecision(semantics);
  double unit = ulps * std::ldexp(1.0, 1 - precision);
  // Beside the device's rounding: f64 rounds the value itself once, and library
  // functions within 6 units, and the bound itself is computed by a few
  // operations. 2^-49 is 16 roundings of f64.
  unit = unit * (1 + std::ldexp(1.0, -6)) + std::ldexp(1.0, -49);
  llvm::APFloat top = llvm::APFloat::getLargest(semantics);
  bool lost = false;
  top.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
              &lost);
  double largest = top.convertToDouble();
  constexpr double infinity = std::numeric_limits<double>::infinity();

  Value magnitude = abs(value);
  Value reach = addBounds(magnitude, propagated);
  Value bound = addBounds(propagated, mul(constant(unit), reach));
  // Conversions to bf16 of many processors make numbers below the smallest
  // normal one 0, and take them for 0.
  bool flushes = isa<BFloat16Type>(type);
  if (underflows || flushes) {
    int least = llvm::APFloat::semanticsMinExponent(semantics);
    if (!flushes)
      least += 1 - precision;
    // Of f64, the smallest number itself, because half of it is 0.
    double tiny = std::ldexp(1.0, least) * std::max(1.0, 2 * ulps);
    bound = add(bound, constant(tiny));
  }
  // From half a unit above the largest number, a device rounds to infinity.
  double overflows = largest * (1 + std::ldexp(1.0, -precision - 1));
  if (!std::isfinite(overflows))
    overflows = largest;
  Value stays =
      compare(arith::CmpFPredicate::ULT, ulps > 0.5 ? add(reach, bound) : reach,
              constant(overflows));
  bound = select(stays, bound, constant(infinity));
  // Infinities and NaN of finite errors are the same on the device.
  Value isFinite =
      compare(arith::CmpFPredicate::OLT, magnitude, constant(infinity));
  Value atInfinity = constant(0);
  if (propagated)
    atInfinity = select(
        compare(arith::CmpFPredicate::OLT, propagated, constant(infinity)),
        constant(0), constant(infinity));
  return select(isFinite, bound, atInfinity);
}

} // namespace npu
