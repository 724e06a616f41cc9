// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Boundary.h"
#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType layoutType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && getLayout(type) ? type : RankedTensorType();
}

Type withoutLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && getLayout(tensor) ? withLayout(tensor, {}) : type;
}

/// The operation in front of which `value` is stored for `op`: not inside the
/// region of an operation that computes, which runs once for each entry, but in
/// front of that operation.
Operation *outsideOfBodies(Operation *op, Value value) {
  Operation *home = value.getParentRegion()->getParentOp();
  while (
      !isa<FunctionOpInterface, RegionBranchOpInterface>(op->getParentOp()) &&
      !op->getParentOp()->isAncestor(home))
    op = op->getParentOp();
  return op;
}

/// Rematerializes an unwritten or unread value in DDR. It is marked as padding,
/// so that verification accepts that it is never written.
Value rematerializeInDdr(Operation *op, Value value) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(value.getType());
  auto again = tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                       type.getElementType());
  again->setAttr(paddingAttrName, builder.getUnitAttr());
  return again;
}

Value redistribute(OpBuilder &builder, Location loc, RankedTensorType type,
                   Value value) {
  auto moved = RedistributeOp::create(builder, loc, type, value);
  setPadding(cast<OpResult>(moved.getResult()), paddingOf(value));
  return moved;
}

/// Stores the operands that have layouts, and each value only once.
void storeOperands(Operation *op) {
  llvm::SmallDenseMap<Value, Value> stored;
  EmptyOrigins origins;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    RankedTensorType type = layoutType(value);
    if (!type)
      continue;
    if (type.hasStaticShape() && !isBroughtToDdr(operand, origins)) {
      operand.set(rematerializeInDdr(op, value));
      continue;
    }
    Value &inDdr = stored[value];
    if (!inDdr) {
      OpBuilder builder(outsideOfBodies(op, value));
      inDdr = redistribute(builder, op->getLoc(), withLayout(type, {}), value);
    }
    operand.set(inDdr);
  }
}

/// Takes the layout off a value and gives its users a loaded one.
void loadValue(Value value, OpBuilder &builder) {
  RankedTensorType type = layoutType(value);
  if (!type)
    return;
  value.setType(withLayout(type, {}));
  if (value.use_empty())
    return;
  Value loaded = redistribute(builder, value.getLoc(), type, value);
  value.replaceAllUsesExcept(loaded, loaded.getDefiningOp());
}

/// Changes the type in the attributes of a constant, which repeats it.
void makeConstantsPlain(Operation *op) {
  for (NamedAttribute attr : op->getAttrs()) {
    auto values = dyn_cast<ElementsAttr>(attr.getValue());
    if (!values || values.getType() == withoutLayout(values.getType()))
      continue;
    auto type = cast<ShapedType>(withoutLayout(values.getType()));
    if (auto dense = dyn_cast<DenseElementsAttr>(attr.getValue()))
      op->setAttr(attr.getName(), dense.reshape(type));
    else if (auto resource =
                 dyn_cast<DenseResourceElementsAttr>(attr.getValue()))
      op->setAttr(attr.getName(), DenseResourceElementsAttr::get(
                                      type, resource.getRawHandle()));
  }
}

} // namespace

void fallBackToHost(Operation *op) {
  storeOperands(op);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    loadValue(result, builder);
  makeConstantsPlain(op);
}

void markUnwritten(ModuleOp module) {
  SmallVector<OpOperand *> unwritten;
  module.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *empty =
          isUnwritten(operand.get()) ? operand.get().getDefiningOp() : nullptr;
      if (empty && !empty->hasAttr(paddingAttrName) &&
          (handsOn(op) || isa<CallOpInterface>(op) ||
           outsideOfBodies(op, operand.get()) != op))
        unwritten.push_back(&operand);
    }
  });
  for (OpOperand *operand : unwritten) {
    Operation *op = operand->getOwner();
    OpBuilder builder(outsideOfBodies(op, operand->get()));
    Operation *own = builder.clone(*operand->get().getDefiningOp());
    own->setAttr(paddingAttrName, builder.getUnitAttr());
    operand->set(own->getResult(0));
  }
}

void passThroughDdrAtBoundaries(ModuleOp module) {
  module.walk([&](func::FuncOp function) {
    FunctionType type = function.getFunctionType();
    auto plain = [](TypeRange types) {
      return llvm::map_to_vector(types, withoutLayout);
    };
    function.setFunctionType(FunctionType::get(
        type.getContext(), plain(type.getInputs()), plain(type.getResults())));
    if (function.isDeclaration())
      return;
    bool isMarked = false;
    function.walk(
        [&](func::ReturnOp op) { isMarked |= takeCycles(op).has_value(); });
    // Arguments and results with a layout are on tiles: costs do not count how
    // they come there.
    auto costsNothing = [&](Operation *op) {
      if (isMarked && isa_and_nonnull<RedistributeOp>(op))
        markCycles(op, {{0}});
    };
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    for (BlockArgument argument : function.getArguments()) {
      bool isOnTiles = static_cast<bool>(layoutType(argument));
      loadValue(argument, builder);
      if (isOnTiles)
        llvm::for_each(argument.getUsers(), costsNothing);
    }
    function.walk([&](func::ReturnOp op) {
      SmallVector<bool> areOnTiles;
      for (Value result : op.getOperands())
        areOnTiles.push_back(static_cast<bool>(layoutType(result)));
      storeOperands(op);
      for (auto [result, isOnTiles] :
           llvm::zip_equal(op.getOperands(), areOnTiles))
        if (isOnTiles)
          costsNothing(result.getDefiningOp());
      // Mark an unwritten result as padding: it may hold anything.
      for (Value result : op.getOperands())
        if (isUnwritten(result))
          result.getDefiningOp()->setAttr(paddingAttrName,
                                          UnitAttr::get(op.getContext()));
    });
  });
}

} // namespace npu
