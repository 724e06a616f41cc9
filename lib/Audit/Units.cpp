// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Units.h"

#include "npu/ExternalModels/Tensor/MovedElements.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace npu {
namespace {

llvm::SetVector<Value> usedBy(Operation &op) {
  llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), used);
  return used;
}

/// A constant of so few elements stays a part of those that use it.
bool isSmall(arith::ConstantOp op) {
  constexpr int64_t few = 16;
  auto values = dyn_cast<ElementsAttr>(op.getValue());
  return !values || isa<SplatElementsAttr>(op.getValue()) ||
         (isa<DenseElementsAttr>(op.getValue()) &&
          values.getNumElements() <= few);
}

/// Whether a structured operation computes its result of scalars alone.
bool fills(Operation &op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.hasPureTensorSemantics() &&
         llvm::none_of(op.getOpOperands(), [&](OpOperand &operand) {
           return isa<ShapedType>(operand.get().getType()) &&
                  structured.payloadUsesValueFromOperand(&operand);
         });
}

/// Whether an operation goes with those that use it, where its operands do.
bool mayTravel(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isSmall(constant);
  if (makesUnwritten(&op) || asksForShapeOnly(&op) || fills(op))
    return true;
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
         llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
}

/// The operations of `block` that compute `wanted`, down to values of which
/// `isInput` says so. An operation of `wanted` is taken whatever is said.
Slice slice(ArrayRef<Value> wanted, llvm::function_ref<bool(Value)> isInput) {
  Slice result;
  result.outputs.assign(wanted.begin(), wanted.end());
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> inputs;
  SmallVector<Operation *> worklist;
  auto take = [&](Operation *op) {
    if (ops.insert(op))
      worklist.push_back(op);
  };
  for (Value value : wanted)
    take(value.getDefiningOp());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Value value : usedBy(*op)) {
      Operation *def = value.getDefiningOp();
      if (def && ops.contains(def))
        continue;
      if (!def || isInput(value))
        inputs.insert(value);
      else
        take(def);
    }
  }
  result.ops = ops.takeVector();
  llvm::sort(result.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  result.inputs = inputs.takeVector();
  return result;
}

} // namespace

void numberOperations(func::FuncOp function) {
  Builder builder(function.getContext());
  for (auto [number, op] : llvm::enumerate(function.front()))
    op.setAttr(unitAttrName, builder.getI64IntegerAttr(number));
}

Units::Units(func::FuncOp function) : function(function) {
  Block &body = function.front();
  boundary.insert(body.args_begin(), body.args_end());
  llvm::DenseSet<Value> travelling;
  llvm::SetVector<Value> returned(body.getTerminator()->operand_begin(),
                                  body.getTerminator()->operand_end());
  for (Operation &op : body.without_terminator()) {
    bool isReturned = llvm::any_of(
        op.getResults(), [&](Value value) { return returned.contains(value); });
    if (mayTravel(op) && llvm::all_of(usedBy(op), [&](Value value) {
          return travelling.contains(value);
        })) {
      travelling.insert(op.result_begin(), op.result_end());
      if (!isReturned)
        continue;
    } else if (isa<arith::ConstantOp>(op) && !isReturned) {
      boundary.insert(op.getResult(0));
      continue;
    }
    Unit unit{&op, {}};
    for (Value result : op.getResults())
      if (!result.use_empty())
        unit.results.push_back(result);
    if (unit.results.empty())
      continue;
    // What travels is no input of those that it travels with.
    for (Value result : unit.results)
      if (!travelling.contains(result))
        boundary.insert(result);
    units.push_back(std::move(unit));
  }
}

Slice Units::sliceOf(const Unit &unit) const {
  return slice(unit.results, [&](Value value) { return isBoundary(value); });
}

static std::optional<int64_t> numberOf(Operation *op) {
  auto number = op ? op->getAttrOfType<IntegerAttr>(unitAttrName) : nullptr;
  return number ? std::optional(number.getInt()) : std::nullopt;
}

Images::Images(const Units &units, func::FuncOp copy) : copy(copy) {
  for (Operation &op : copy.front())
    if (auto number = numberOf(&op))
      numbered[*number] = &op;
  auto add = [&](Value value) {
    if (Value image = imageOf(value)) {
      images[value] = image;
      originals[image] = value;
    }
  };
  func::FuncOp function = units.getFunction();
  for (BlockArgument argument : function.getArguments())
    add(argument);
  for (Operation &op : function.front())
    for (Value result : op.getResults())
      if (units.isBoundary(result))
        add(result);
  for (const Unit &unit : units.all())
    for (Value result : unit.results)
      if (!images.contains(result))
        if (Value image = imageOf(result))
          images[result] = image;
}

Value Images::imageOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return copy.getArgument(argument.getArgNumber());
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  Value own, used;
  if (Operation *same = numbered.lookup(*numberOf(op));
      same && number < same->getNumResults())
    own = same->getResult(number);
  // An operation that was put after the copy of this one gives what others use
  // instead.
  for (OpOperand &use : value.getUses()) {
    std::optional<int64_t> user = numberOf(use.getOwner());
    Operation *same = user ? numbered.lookup(*user) : nullptr;
    if (!same || same->getNumOperands() != use.getOwner()->getNumOperands())
      continue;
    Value operand = same->getOperand(use.getOperandNumber());
    if (operand.getType() != value.getType() || !operand.getDefiningOp())
      continue;
    if (!numberOf(operand.getDefiningOp()))
      return operand;
    used = operand;
  }
  return own ? own : used;
}

std::optional<Slice> Images::sliceOf(const Unit &unit) const {
  SmallVector<Value> wanted;
  for (Value result : unit.results) {
    Value image = images.lookup(result);
    if (!image || !image.getDefiningOp())
      return std::nullopt;
    wanted.push_back(image);
  }
  return slice(wanted, [&](Value value) { return originals.contains(value); });
}

OwningOpRef<ModuleOp> cutOut(const Slice &slice) {
  Operation *first = slice.ops.back();
  auto around = first->getParentOfType<ModuleOp>();
  OpBuilder builder(first->getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(around.getLoc()));
  (*module)->setDiscardableAttrs(around->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(module->getBody());
  auto type = builder.getFunctionType(TypeRange(ValueRange(slice.inputs)),
                                      TypeRange(ValueRange(slice.outputs)));
  auto function = func::FuncOp::create(builder, first->getLoc(), "unit", type);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(slice.inputs, body->getArguments());
  for (Operation *op : slice.ops) {
    Operation *copy = builder.clone(*op, mapping);
    copy->removeAttr(unitAttrName);
  }
  SmallVector<Value> results;
  for (Value output : slice.outputs)
    results.push_back(mapping.lookup(output));
  func::ReturnOp::create(builder, first->getLoc(), results);
  return module;
}

} // namespace npu
