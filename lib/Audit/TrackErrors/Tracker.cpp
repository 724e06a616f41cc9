// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bookkeeping: which new values stand for an old one, and what becomes of
// an operation that no rule knows.

#include "Tracker.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/RegionUtils.h"

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

bool isFloatLike(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
      getElementTypeOrSelf(type));
}

static bool isIntegerLike(Type type) {
  return getElementTypeOrSelf(type).isIntOrIndex();
}

Type inF64(Type type) {
  auto f64 = Float64Type::get(type.getContext());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), f64);
  return f64;
}

Value mapElements(OpBuilder &builder, Location loc, ValueRange inputs,
                  Type type,
                  llvm::function_ref<Value(Arithmetic64 &, ValueRange)> build) {
  auto tensor = dyn_cast<RankedTensorType>(inputs[0].getType());
  if (!tensor) {
    Arithmetic64 f(builder, loc);
    return build(f, inputs);
  }
  int64_t rank = tensor.getRank();
  Value empty = tensor::EmptyOp::create(builder, loc, tensor.getShape(), type);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), inputs, empty, maps, loops,
             [&](OpBuilder &inner, Location at, ValueRange arguments) {
               Arithmetic64 f(inner, at);
               linalg::YieldOp::create(inner, at,
                                       build(f, arguments.drop_back()));
             })
      .getResult(0);
}

Value splat64(OpBuilder &builder, Location loc, Type type, Value value) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return value;
  Value empty = tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                        builder.getF64Type());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

static Value extended(OpBuilder &builder, Location loc, Value value) {
  Type f64 = builder.getF64Type();
  if (getElementTypeOrSelf(value.getType()) == f64)
    return value;
  return mapElements(
      builder, loc, value, f64, [&](Arithmetic64 &f, ValueRange v) -> Value {
        Type type = v[0].getType();
        if (isa<FloatType>(type))
          return arith::ExtFOp::create(f.builder, loc, f64, v[0]);
        Value integer = v[0];
        if (type.isIndex())
          integer = arith::IndexCastOp::create(f.builder, loc,
                                               f.builder.getI64Type(), integer);
        if (type.isInteger(1))
          return arith::UIToFPOp::create(f.builder, loc, f64, integer);
        return arith::SIToFPOp::create(f.builder, loc, f64, integer);
      });
}

Shadow Tracker::scalar(Value value) {
  Shadow shadow = shadows.lookup(value);
  if (!shadow.value)
    shadow.value = newValues.lookupOrDefault(value);
  shadow.value = extended(builder, value.getLoc(), shadow.value);
  return shadow;
}

Shadow Tracker::whole(Value value, bool withMass) {
  Shadow shadow = scalar(value);
  Location loc = value.getLoc();
  Arithmetic64 f(builder, loc);
  if (!shadow.error)
    shadow.error = splat64(builder, loc, value.getType(), f.constant(0));
  if (withMass && !shadow.mass)
    shadow.mass =
        mapElements(builder, loc, shadow.value, builder.getF64Type(),
                    [](Arithmetic64 &f, ValueRange v) { return f.abs(v[0]); });
  return shadow;
}

Value Tracker::own(Value value) {
  if (!isFloatLike(value.getType()))
    return newValues.lookupOrDefault(value);
  Value known = shadows.lookup(value).value;
  if (!known)
    return newValues.lookupOrDefault(value);
  Type type = getElementTypeOrSelf(value.getType());
  if (getElementTypeOrSelf(known.getType()) == type)
    return known;
  return mapElements(builder, value.getLoc(), known, type,
                     [&](Arithmetic64 &f, ValueRange v) -> Value {
                       return arith::TruncFOp::create(f.builder, f.loc, type,
                                                      v[0]);
                     });
}

Value Tracker::errorOf(Value value) { return shadows.lookup(value).error; }

SmallVector<Value> Tracker::expand(ValueRange values, bool withMass) {
  SmallVector<Value> expanded;
  for (Value value : values) {
    bool isFloat = isFloatLike(value.getType());
    if (!isFloat && !isIntegerLike(value.getType())) {
      expanded.push_back(own(value));
      continue;
    }
    Shadow shadow = whole(value, withMass && isFloat);
    if (!isFloat)
      expanded.push_back(own(value));
    expanded.append({shadow.value, shadow.error});
    if (withMass && isFloat)
      expanded.push_back(shadow.mass);
  }
  return expanded;
}

SmallVector<Type> Tracker::expand(TypeRange types, bool withMass) {
  SmallVector<Type> expanded;
  for (Type type : types) {
    bool isFloat = isFloatLike(type);
    if (!isFloat)
      expanded.push_back(type);
    if (isFloat || isIntegerLike(type))
      expanded.append(isFloat && withMass ? 3 : 2, inF64(type));
  }
  return expanded;
}

void Tracker::bind(ValueRange values, ValueRange expanded, bool withMass) {
  size_t next = 0;
  for (Value value : values) {
    bool isFloat = isFloatLike(value.getType());
    if (!isFloat)
      newValues.map(value, expanded[next++]);
    if (!isFloat && !isIntegerLike(value.getType()))
      continue;
    Shadow shadow{expanded[next], expanded[next + 1], Value()};
    next += 2;
    if (isFloat && withMass)
      shadow.mass = expanded[next++];
    shadows[value] = shadow;
  }
}

Operation *Tracker::clonePlain(Operation *op) {
  Operation *copy = builder.clone(*op, newValues);
  return copy;
}

Value Tracker::totalError(ValueRange values) {
  Value total;
  for (Value value : values) {
    Value error = errorOf(value);
    if (!error)
      continue;
    Location loc = value.getLoc();
    Arithmetic64 f(builder, loc);
    if (auto type = dyn_cast<RankedTensorType>(error.getType())) {
      auto sum = RankedTensorType::get({}, builder.getF64Type());
      Value zero = splat64(builder, loc, sum, f.constant(0));
      auto reduce = linalg::ReduceOp::create(
          builder, loc, error, zero,
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())),
          [](OpBuilder &inner, Location at, ValueRange v) {
            linalg::YieldOp::create(
                inner, at,
                arith::AddFOp::create(inner, at, v[0], v[1]).getResult());
          });
      error = tensor::ExtractOp::create(builder, loc, reduce.getResult(0),
                                        ValueRange());
    }
    total = f.addBounds(total, error);
  }
  return total;
}

void Tracker::unboundWhere(Operation *op, Value flag) {
  if (!flag)
    return;
  Arithmetic64 f(builder, op->getLoc());
  // NaN is no number of errors: what is not known to be 0 counts.
  Value isWrong = f.compare(arith::CmpFPredicate::UGT, flag, f.constant(0));
  Value bound =
      f.select(isWrong, f.constant(std::numeric_limits<double>::infinity()),
               f.constant(0));
  for (Value result : op->getResults()) {
    if (!isFloatLike(result.getType()) && !isIntegerLike(result.getType()))
      continue;
    Shadow shadow = scalar(result);
    Value error = splat64(builder, op->getLoc(), result.getType(), bound);
    if (shadow.error)
      error = mapElements(
          builder, op->getLoc(), {shadow.error, error}, builder.getF64Type(),
          [](Arithmetic64 &f, ValueRange v) { return f.add(v[0], v[1]); });
    shadow.error = error;
    shadows[result] = shadow;
  }
}

void Tracker::trackUnknown(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  IRMapping mapping(newValues);
  for (Value value : used)
    mapping.map(value, own(value));
  Value flag = totalError(used.getArrayRef());
  Operation *copy = builder.clone(*op, mapping);
  for (auto [old, result] : llvm::zip(op->getResults(), copy->getResults())) {
    newValues.map(old, result);
    if (isFloatLike(old.getType()))
      shadows[old] = {result, Value(), Value()};
  }
  unboundWhere(op, flag);
  unknown.insert(op->getName().getStringRef());
}

void Tracker::trackBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    track(&op);
}

void Tracker::track(Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  for (auto rule :
       {trackTensor, trackControl, trackFloat, trackLibrary, trackInteger})
    if (rule(*this, op))
      return;
  trackUnknown(op);
}

} // namespace npu
