// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on whole tensors: structured ones compute with pairs in their
// bodies, and what only moves elements moves errors in the same way.

#include "Tracker.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {
namespace {

/// Clones an operation that only moves elements, of operands that replace its
/// tensors or elements of them.
Value moved(OpBuilder &builder, Operation *op, IRMapping &mapping,
            Type element) {
  Operation *copy = builder.clone(*op, mapping);
  Value result = copy->getResult(0);
  if (auto type = dyn_cast<RankedTensorType>(result.getType()))
    result.setType(RankedTensorType::get(type.getShape(), element));
  else
    result.setType(element);
  return result;
}

/// Whether each element of the result is an element of an operand, or none.
bool onlyMoves(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
             tensor::CastOp, tensor::ConcatOp, tensor::FromElementsOp,
             tensor::SplatOp, tensor::ExtractOp, tensor::InsertOp>(op);
}

/// The numbers of those operands that are not data but say where it goes.
bool isPlace(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (isa<tensor::InsertSliceOp, tensor::InsertOp>(op))
    return number > 1;
  if (isa<tensor::ConcatOp, tensor::FromElementsOp>(op))
    return false;
  return number > 0;
}

} // namespace

bool Tracker::trackTensor(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!generic.hasPureTensorSemantics())
      return false;
    trackGeneric(generic);
    return true;
  }
  if (isa<tensor::PadOp>(op)) {
    trackPad(op);
    return true;
  }
  if (isa<tensor::GenerateOp>(op)) {
    trackGenerate(op);
    return true;
  }
  if (isa<tensor::EmptyOp, tensor::DimOp, tensor::RankOp>(op) ||
      (isa<arith::ConstantOp>(op) &&
       isa<ShapedType>(op->getResult(0).getType()))) {
    for (Value operand : op->getOperands())
      if (!copies.contains(operand))
        copies.map(operand, own(operand));
    Operation *copy = clonePlain(op);
    if (isFloatLike(op->getResult(0).getType()))
      set(op->getResult(0), {copy->getResult(0), Value(), Value()});
    return true;
  }
  if (!onlyMoves(op))
    return false;

  // Values, masses and errors move by clones of the same operation.
  SmallVector<OpOperand *> data;
  SmallVector<Value> places;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isPlace(operand))
      places.push_back(operand.get());
    else
      data.push_back(&operand);
  }
  Value result = op->getResult(0);
  Type element = getElementTypeOrSelf(result.getType());
  bool isFloat = isFloatLike(result.getType());
  bool hasError = false, sameType = true;
  for (OpOperand *operand : data) {
    Shadow shadow = shadows.lookup(operand->get());
    hasError |= static_cast<bool>(shadow.error);
    Value value = isFloat && shadow.value ? shadow.value : Value();
    sameType &= value && getElementTypeOrSelf(value.getType()) == element;
  }
  Type f64 = builder.getF64Type();
  IRMapping mapping(copies);
  auto cloneWith = [&](auto choose, Type type) {
    for (OpOperand *operand : data)
      mapping.map(operand->get(), choose(operand->get()));
    return moved(builder, op, mapping, type);
  };
  Shadow z;
  if (!isFloat)
    copies.map(result, cloneWith([&](Value v) { return own(v); }, element));
  if (isFloat)
    z.value =
        sameType ? cloneWith([&](Value v) { return shadows[v].value; }, element)
                 : cloneWith([&](Value v) { return scalar(v).value; }, f64);
  if (hasError) {
    if (!isFloat)
      z.value = cloneWith([&](Value v) { return scalar(v).value; }, f64);
    z.error = cloneWith([&](Value v) { return whole(v).error; }, f64);
  }
  if (isFloat || hasError)
    set(result, z);
  unboundWhere(op, totalError(places));
  return true;
}

void Tracker::trackGeneric(linalg::GenericOp op) {
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
    Shadow shadow = shadows.lookup(operand->get());
    Places place;
    auto give = [&](Value value) {
      inputs.push_back(value);
      inputMaps.push_back(map);
      return static_cast<int>(inputs.size() - 1);
    };
    bool isFloat = isFloatLike(operand->get().getType());
    if (!isFloat || !shadow.value)
      place.copy = give(own(operand->get()));
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
      shadow = whole(operand.get(), isFloat);
    } else {
      auto type = cast<RankedTensorType>(operand.get().getType());
      shadow.value = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                             builder.getF64Type());
      shadow.error = shadow.mass = shadow.value;
    }
    if (!isFloat)
      place.copy = give(own(operand.get()));
    place.value = give(shadow.value);
    place.error = give(shadow.error);
    if (isFloat)
      place.mass = give(shadow.mass);
    places.push_back(place);
  }
  llvm::append_range(inputMaps, outputMaps);

  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(ValueRange(outputs)), inputs, outputs, inputMaps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        unsigned numInputs = op.getNumDpsInputs();
        for (auto [number, argument] :
             llvm::enumerate(op.getBody()->getArguments())) {
          const Places &place = places[number];
          int offset = number < numInputs ? 0 : static_cast<int>(inputs.size());
          auto pick = [&](int i) {
            return i < 0 ? Value() : Value(arguments[offset + i]);
          };
          if (place.copy >= 0)
            copies.map(argument, pick(place.copy));
          Shadow shadow{pick(place.value), pick(place.error), pick(place.mass)};
          if (shadow.value || shadow.error)
            set(argument, shadow);
          if (!shadow.value && isFloatLike(argument.getType()))
            set(argument, {pick(place.copy), shadow.error, Value()});
        }
        trackBlock(*op.getBody());
        SmallVector<Value> yielded;
        for (Value value : op.getBody()->getTerminator()->getOperands()) {
          bool isFloat = isFloatLike(value.getType());
          Shadow shadow = whole(value, isFloat);
          if (!isFloat)
            yielded.push_back(own(value));
          yielded.append({shadow.value, shadow.error});
          if (isFloat)
            yielded.push_back(shadow.mass);
        }
        linalg::YieldOp::create(builder, at, yielded);
      });
  bind(op.getResults(), generic.getResults(), /*withMass=*/true);
}

void Tracker::trackPad(Operation *op) {
  auto pad = cast<tensor::PadOp>(op);
  Location loc = op->getLoc();
  Value result = pad.getResult();
  Type f64 = builder.getF64Type();
  bool isFloat = isFloatLike(result.getType());
  enum class Part { Copy, Value, Error };
  auto build = [&](Part part) {
    Value source = part == Part::Copy    ? own(pad.getSource())
                   : part == Part::Value ? scalar(pad.getSource()).value
                                         : whole(pad.getSource()).error;
    IRMapping mapping(copies);
    mapping.map(pad.getSource(), source);
    Operation *copy = builder.cloneWithoutRegions(*op, mapping);
    Type element =
        part == Part::Copy ? getElementTypeOrSelf(result.getType()) : f64;
    auto type = cast<RankedTensorType>(result.getType());
    copy->getResult(0).setType(RankedTensorType::get(type.getShape(), element));
    Block *body = builder.createBlock(&copy->getRegion(0));
    for (BlockArgument argument : pad.getRegion().getArguments())
      copies.map(argument, body->addArgument(argument.getType(), loc));
    trackBlock(pad.getRegion().front());
    Value value = cast<tensor::YieldOp>(pad.getRegion().front().getTerminator())
                      .getValue();
    Shadow shadow = whole(value);
    tensor::YieldOp::create(builder, loc,
                            part == Part::Copy    ? own(value)
                            : part == Part::Value ? shadow.value
                                                  : shadow.error);
    builder.setInsertionPointAfter(copy);
    return copy->getResult(0);
  };
  if (!isFloat)
    copies.map(result, build(Part::Copy));
  Shadow z;
  z.value = build(Part::Value);
  z.error = build(Part::Error);
  set(result, z);
}

void Tracker::trackGenerate(Operation *op) {
  // Each part of the pair generates its elements by itself.
  auto generate = cast<tensor::GenerateOp>(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape() || !isFloatLike(type)) {
    trackUnknown(op);
    return;
  }
  auto build = [&](bool isError) -> Value {
    auto copy = tensor::GenerateOp::create(
        builder, loc, cast<RankedTensorType>(inF64(type)), ValueRange());
    Block *body = builder.createBlock(&copy.getBody());
    for (BlockArgument argument : generate.getBody().getArguments())
      copies.map(argument, body->addArgument(argument.getType(), loc));
    trackBlock(generate.getBody().front());
    Shadow shadow =
        whole(generate.getBody().front().getTerminator()->getOperand(0));
    tensor::YieldOp::create(builder, loc,
                            isError ? shadow.error : shadow.value);
    builder.setInsertionPointAfter(copy);
    return copy.getResult();
  };
  Value value = build(false), error = build(true);
  set(op->getResult(0), {value, error, Value()});
}

} // namespace npu
