// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Boundary.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType layoutType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && getLayout(type) ? type : RankedTensorType();
}

int64_t bytesOf(RankedTensorType type) {
  return toBytes(type.getNumElements(),
                 elementBits(type.getElementType()).value_or(64));
}

Type withoutLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && getLayout(tensor) ? withLayout(tensor, {}) : type;
}

/// Stores the operands that have layouts.
int64_t storeOperands(Operation *op) {
  OpBuilder builder(op);
  int64_t bytes = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    RankedTensorType type = layoutType(operand.get());
    if (!type)
      continue;
    // What nobody has written is made again, not stored.
    if (operand.get().getDefiningOp<tensor::EmptyOp>()) {
      auto again = tensor::EmptyOp::create(
          builder, op->getLoc(), type.getShape(), type.getElementType());
      again->setAttr(paddingAttrName, builder.getUnitAttr());
      operand.set(again);
      continue;
    }
    operand.set(RedistributeOp::create(builder, op->getLoc(),
                                       withLayout(type, {}), operand.get()));
    if (isDistributed(type))
      bytes += bytesOf(type);
  }
  return bytes;
}

/// Makes a value plain and gives its users a loaded one.
int64_t loadValue(Value value, OpBuilder &builder) {
  RankedTensorType type = layoutType(value);
  if (!type)
    return 0;
  value.setType(withLayout(type, {}));
  if (value.use_empty())
    return 0;
  auto loaded = RedistributeOp::create(builder, value.getLoc(), type, value);
  value.replaceAllUsesExcept(loaded, loaded);
  return isDistributed(type) ? bytesOf(type) : 0;
}

/// A constant of its own kind says its type twice.
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

int64_t doInDdr(Operation *op) {
  int64_t bytes = storeOperands(op);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    bytes += loadValue(result, builder);
  makeConstantsPlain(op);
  return bytes;
}

void passThroughDdrAtBoundaries(ModuleOp module) {
  module.walk([](func::FuncOp function) {
    FunctionType type = function.getFunctionType();
    auto plain = [](TypeRange types) {
      return llvm::map_to_vector(types, withoutLayout);
    };
    function.setFunctionType(FunctionType::get(
        type.getContext(), plain(type.getInputs()), plain(type.getResults())));
    if (function.isDeclaration())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    for (BlockArgument argument : function.getArguments())
      loadValue(argument, builder);
    // So may be what a loop begins with, or a branch gives.
    function.walk([](Operation *op) {
      if (!isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(
              op) ||
          isa<func::ReturnOp>(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (auto empty = operand.get().getDefiningOp<tensor::EmptyOp>();
            empty && !empty->hasAttr(paddingAttrName)) {
          OpBuilder builder(op);
          Operation *own = builder.clone(*empty);
          own->setAttr(paddingAttrName, builder.getUnitAttr());
          operand.set(own->getResult(0));
        }
    });
    function.walk([](func::ReturnOp op) {
      storeOperands(op);
      // A result that nobody writes may be anything.
      for (Value result : op.getOperands())
        if (auto empty = result.getDefiningOp<tensor::EmptyOp>())
          empty->setAttr(paddingAttrName, UnitAttr::get(empty->getContext()));
    });
  });
}

} // namespace npu
