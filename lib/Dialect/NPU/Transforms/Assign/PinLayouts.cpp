// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PinLayouts.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/RemakeableOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

StringRef layoutName() { return NPUDialect::LayoutAttrHelper::getNameStr(); }

/// The type with the layout that `attr` asks for, if there is one; null after
/// an error.
Type pinned(FunctionOpInterface function, Type type, Attribute attr,
            const Twine &place) {
  auto layout = dyn_cast_or_null<LayoutAttr>(attr);
  if (!layout)
    return type;
  auto tensor = cast<RankedTensorType>(type);
  if (LayoutAttr own = getLayout(tensor); own && own != layout) {
    function.emitError() << place << " of '" << function.getName()
                         << "' is pinned to two layouts: " << own
                         << " by its type, and " << layout << " by its '"
                         << layoutName() << "'";
    return {};
  }
  return withLayout(tensor, layout);
}

Value moveTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return RedistributeOp::create(builder, loc, type, value);
}

/// Brings what callers give and take under the types of the signature.
void retypeCalls(FunctionOpInterface function, ModuleOp module) {
  auto type = cast<FunctionType>(function.getFunctionType());
  module.walk([&](func::CallOp call) {
    if (SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()) !=
        function)
      return;
    OpBuilder builder(call);
    for (auto [operand, input] :
         llvm::zip_equal(call->getOpOperands(), type.getInputs()))
      operand.set(moveTo(builder, call.getLoc(), operand.get(), input));
    builder.setInsertionPointAfter(call);
    for (auto [result, wanted] :
         llvm::zip_equal(call.getResults(), type.getResults())) {
      Type before = result.getType();
      if (before == wanted)
        continue;
      result.setType(wanted);
      if (result.use_empty())
        continue;
      auto moved =
          RedistributeOp::create(builder, call.getLoc(), before, result);
      result.replaceAllUsesExcept(moved, moved);
    }
  });
}

/// An error where something other than a call knows the function's type.
LogicalResult verifyOnlyCalled(FunctionOpInterface function, ModuleOp module) {
  auto uses = SymbolTable::getSymbolUses(function, function->getParentOp());
  if (!uses)
    return success();
  for (SymbolTable::SymbolUse use : *uses)
    if (!isa<func::CallOp>(use.getUser()))
      return use.getUser()->emitError()
             << "expected calls of '" << function.getName()
             << "' alone, because its arguments or results are pinned to "
                "layouts, got '"
             << use.getUser()->getName() << "'";
  return success();
}

/// Loops, branches and calls get an argument as they did before it was pinned.
void keepTypesOfFlow(Value argument, Type before) {
  Value moved;
  for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
    Operation *user = use.getOwner();
    bool isFlow =
        isa<RegionBranchOpInterface, CallOpInterface>(user) ||
        (user->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(user));
    if (!isFlow)
      continue;
    if (!moved) {
      OpBuilder builder(argument.getContext());
      builder.setInsertionPointToStart(argument.getParentBlock());
      moved =
          RedistributeOp::create(builder, argument.getLoc(), before, argument);
    }
    use.set(moved);
  }
}

/// The tensor.empty or splat that is made where it is used has no layout of its
/// own to keep.
bool keepsItsType(Operation *op) {
  return isa<RegionBranchOpInterface, CallOpInterface, RedistributeOp,
             DistributionCastOp, PermuteCastOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

} // namespace

LogicalResult pinSignature(FunctionOpInterface function, ModuleOp module) {
  SmallVector<Type> inputs(function.getArgumentTypes()),
      results(function.getResultTypes());
  for (auto [number, type] : llvm::enumerate(inputs)) {
    type = pinned(function, type, function.getArgAttr(number, layoutName()),
                  "argument #" + Twine(number));
    if (!type)
      return failure();
    function.removeArgAttr(
        number, StringAttr::get(function->getContext(), layoutName()));
    if (function.isExternal())
      continue;
    BlockArgument argument = function.getArgument(number);
    Type before = argument.getType();
    argument.setType(type);
    if (before != type)
      keepTypesOfFlow(argument, before);
  }
  for (auto [number, type] : llvm::enumerate(results)) {
    type = pinned(function, type, function.getResultAttr(number, layoutName()),
                  "result #" + Twine(number));
    if (!type)
      return failure();
    function.removeResultAttr(
        number, StringAttr::get(function->getContext(), layoutName()));
  }
  auto before = function.getFunctionType();
  auto after = FunctionType::get(function->getContext(), inputs, results);
  if (before == after)
    return success();
  if (failed(verifyOnlyCalled(function, module)))
    return failure();
  function.setType(after);
  for (Block &block : function.getFunctionBody()) {
    auto end = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!end)
      continue;
    OpBuilder builder(end);
    for (auto [operand, type] : llvm::zip_equal(end->getOpOperands(), results))
      operand.set(moveTo(builder, end.getLoc(), operand.get(), type));
  }
  retypeCalls(function, module);
  return success();
}

void pinResults(FunctionOpInterface function) {
  SmallVector<Operation *> withLayouts;
  function.walk([&](Operation *op) {
    if (op != function && !keepsItsType(op) &&
        llvm::any_of(op->getResultTypes(), hasLayout))
      withLayouts.push_back(op);
  });
  for (Operation *op : withLayouts) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !getLayout(type))
        continue;
      RankedTensorType plain = withLayout(type, {});
      if (isConstant || needsNoData(op)) {
        FailureOr<Value> again =
            cast<RemakeableOpInterface>(op).remakeAs(builder, plain);
        if (succeeded(again)) {
          Value moved = moveTo(builder, op->getLoc(), *again, type);
          result.replaceAllUsesWith(moved);
        }
        continue;
      }
      result.setType(plain);
      auto moved = RedistributeOp::create(builder, op->getLoc(), type, result);
      result.replaceAllUsesExcept(moved, moved);
    }
    if (op->use_empty() && (isConstant || needsNoData(op)))
      op->erase();
  }
}

} // namespace npu
