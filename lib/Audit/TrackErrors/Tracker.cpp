// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bookkeeping: which new values stand for an old one, and what becomes of
// an operation that no rule knows.

#include "Tracker.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#include <limits>

using namespace mlir;

namespace npu {

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
