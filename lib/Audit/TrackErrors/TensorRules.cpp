// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on whole tensors: structured ones compute with pairs in their
// bodies, and what only moves elements moves errors in the same way.

#include "Tracker.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/MovedElements.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/LayoutChangeOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// Clones an operation that only moves elements, of operands that replace its
/// tensors or elements of them.
Value moved(OpBuilder &builder, Operation *op, IRMapping &mapping,
            Type element) {
  // What is tracked has no layouts, but for arguments.
  if (keepsIndices(op)) {
    Value from = mapping.lookup(op->getOperand(0));
    auto plain = RankedTensorType::get(
        cast<RankedTensorType>(from.getType()).getShape(), element);
    return from.getType() == plain
               ? from
               : RedistributeOp::create(builder, op->getLoc(), plain, from);
  }
  Operation *copy = builder.clone(*op, mapping);
  Value result = copy->getResult(0);
  if (auto type = dyn_cast<RankedTensorType>(result.getType()))
    result.setType(RankedTensorType::get(type.getShape(), element));
  else
    result.setType(element);
  return result;
}

void trackMovement(Tracker &tracker, Operation *op) {
  // Values, masses and errors move by clones of the same operation.
  SmallVector<OpOperand *> data;
  SmallVector<Value> places;
  for (OpOperand &operand : op->getOpOperands()) {
    if (saysWhere(operand))
      places.push_back(operand.get());
    else
      data.push_back(&operand);
  }
  Value result = op->getResult(0);
  Type element = getElementTypeOrSelf(result.getType());
  bool isFloat = isFloatLike(result.getType());
  bool hasError = false, sameType = true;
  for (OpOperand *operand : data) {
    Shadow shadow = tracker.shadowOf(operand->get());
    hasError |= static_cast<bool>(shadow.error);
    Value value = isFloat && shadow.value ? shadow.value : Value();
    sameType &= value && getElementTypeOrSelf(value.getType()) == element;
  }
  Type f64 = tracker.builder.getF64Type();
  IRMapping mapping(tracker.copies());
  auto cloneWith = [&](auto choose, Type type) {
    for (OpOperand *operand : data)
      mapping.map(operand->get(), choose(operand->get()));
    return moved(tracker.builder, op, mapping, type);
  };
  Shadow z;
  if (!isFloat)
    tracker.setCopy(
        result, cloneWith([&](Value v) { return tracker.own(v); }, element));
  if (isFloat)
    z.value =
        sameType
            ? cloneWith([&](Value v) { return tracker.shadowOf(v).value; },
                        element)
            : cloneWith([&](Value v) { return tracker.scalar(v).value; }, f64);
  if (hasError) {
    if (!isFloat)
      z.value =
          cloneWith([&](Value v) { return tracker.scalar(v).value; }, f64);
    z.error = cloneWith([&](Value v) { return tracker.whole(v).error; }, f64);
  }
  if (isFloat || hasError)
    tracker.set(result, z);
  tracker.unboundWhere(op, tracker.totalError(places));
}

void trackGeneric(Tracker &tracker, linalg::GenericOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> inputMaps, outputMaps;
  // The block arguments that stand for each old one: copy, value, error, mass.
  struct Places {
    int copy = -1, value = -1, error = -1, mass = -1;
  };
  SmallVector<Places> places;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    Shadow shadow = tracker.shadowOf(operand->get());
    Places place;
    auto give = [&](Value value) {
      inputs.push_back(value);
      inputMaps.push_back(map);
      return static_cast<int>(inputs.size() - 1);
    };
    bool isFloat = isFloatLike(operand->get().getType());
    if (!isFloat || !shadow.value)
      place.copy = give(tracker.own(operand->get()));
    if (isFloat && shadow.value)
      place.value = give(shadow.value);
    if (shadow.error)
      place.error = give(shadow.error);
    places.push_back(place);
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isRead = op.payloadUsesValueFromOperand(&operand);
    bool isFloat = isFloatLike(operand.get().getType());
    Places place;
    auto give = [&](Value value) {
      outputs.push_back(value);
      outputMaps.push_back(map);
      return static_cast<int>(outputs.size() - 1);
    };
    Shadow shadow;
    if (isRead) {
      shadow = tracker.whole(operand.get(), isFloat);
    } else {
      auto type = cast<RankedTensorType>(operand.get().getType());
      shadow.value = tensor::EmptyOp::create(
          tracker.builder, loc, type.getShape(), tracker.builder.getF64Type());
      shadow.error = shadow.mass = shadow.value;
    }
    if (!isFloat)
      place.copy = give(tracker.own(operand.get()));
    place.value = give(shadow.value);
    place.error = give(shadow.error);
    if (isFloat)
      place.mass = give(shadow.mass);
    places.push_back(place);
  }
  llvm::append_range(inputMaps, outputMaps);

  auto generic = linalg::GenericOp::create(
      tracker.builder, loc, TypeRange(ValueRange(outputs)), inputs, outputs,
      inputMaps, op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(tracker.builder);
        tracker.builder.restoreInsertionPoint(inner.saveInsertionPoint());
        unsigned numInputs = op.getNumDpsInputs();
        for (auto [number, argument] :
             llvm::enumerate(op.getBody()->getArguments())) {
          const Places &place = places[number];
          int offset = number < numInputs ? 0 : static_cast<int>(inputs.size());
          auto pick = [&](int i) {
            return i < 0 ? Value() : Value(arguments[offset + i]);
          };
          if (place.copy >= 0)
            tracker.setCopy(argument, pick(place.copy));
          Shadow shadow{pick(place.value), pick(place.error), pick(place.mass)};
          if (shadow.value || shadow.error)
            tracker.set(argument, shadow);
          if (!shadow.value && isFloatLike(argument.getType()))
            tracker.set(argument, {pick(place.copy), shadow.error, Value()});
        }
        tracker.trackBlock(*op.getBody());
        SmallVector<Value> yielded;
        for (Value value : op.getBody()->getTerminator()->getOperands()) {
          bool isFloat = isFloatLike(value.getType());
          Shadow shadow = tracker.whole(value, isFloat);
          if (!isFloat)
            yielded.push_back(tracker.own(value));
          yielded.append({shadow.value, shadow.error});
          if (isFloat)
            yielded.push_back(shadow.mass);
        }
        linalg::YieldOp::create(tracker.builder, at, yielded);
      });
  tracker.bind(op.getResults(), generic.getResults(), /*withMass=*/true);
}

/// A copy for each part of the pair, whose region makes its elements.
void trackRegion(Tracker &tracker, Operation *op, Value element) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  Type own64 = tracker.builder.getF64Type();
  bool isFloat = isFloatLike(type);
  enum class Part { Copy, Value, Error };
  auto partOf = [&](Value value, Part part) {
    if (part == Part::Copy)
      return tracker.own(value);
    return part == Part::Value ? tracker.scalar(value).value
                               : tracker.whole(value).error;
  };
  auto build = [&](Part part) {
    IRMapping mapping(tracker.copies());
    for (OpOperand &operand : op->getOpOperands())
      if (isa<ShapedType>(operand.get().getType()))
        mapping.map(operand.get(), partOf(operand.get(), part));
    Operation *copy = tracker.builder.cloneWithoutRegions(*op, mapping);
    copy->getResult(0).setType(RankedTensorType::get(
        type.getShape(), part == Part::Copy ? type.getElementType() : own64));
    Block &from = op->getRegion(0).front();
    OpBuilder::InsertionGuard guard(tracker.builder);
    Block *body = tracker.builder.createBlock(&copy->getRegion(0));
    for (BlockArgument argument : from.getArguments())
      tracker.setCopy(argument, body->addArgument(argument.getType(), loc));
    tracker.trackBlock(from);
    IRMapping yielded;
    yielded.map(element, partOf(element, part));
    tracker.builder.clone(*from.getTerminator(), yielded);
    return copy->getResult(0);
  };
  if (!isFloat)
    tracker.setCopy(result, build(Part::Copy));
  Value value = build(Part::Value), error = build(Part::Error);
  tracker.set(result, {value, error, Value()});
}

} // namespace

bool trackTensor(Tracker &tracker, Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!generic.hasPureTensorSemantics())
      return false;
    trackGeneric(tracker, generic);
    return true;
  }
  if (Value element = elementOfRegion(op)) {
    trackRegion(tracker, op, element);
    return true;
  }
  if (makesUnwritten(op) || asksForShapeOnly(op) ||
      (isa<arith::ConstantOp>(op) &&
       isa<ShapedType>(op->getResult(0).getType()))) {
    for (Value operand : op->getOperands())
      if (!tracker.copies().contains(operand))
        tracker.setCopy(operand, tracker.own(operand));
    Operation *copy = tracker.clonePlain(op);
    if (isFloatLike(op->getResult(0).getType()))
      tracker.set(op->getResult(0), {copy->getResult(0), Value(), Value()});
    return true;
  }
  if (!onlyMovesElements(op) && !keepsIndices(op))
    return false;
  trackMovement(tracker, op);
  return true;
}

} // namespace npu
