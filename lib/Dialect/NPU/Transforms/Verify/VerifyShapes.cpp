// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that layouts fit their tensors, and that nothing computes on tensors
// of dynamic shape. A padded function
// still takes and gives real parts, which are dynamic and stay in DDR: they are
// cut out of padded tensors, put into them, and put together of others.

#include "EachValue.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"
#include "npu/Support/NoteNode.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether `op` gives a tensor another type in which extents that are the same
/// are known or not.
bool handsOnRanked(Operation *op) {
  return isTensorCast(op) && isa<RankedTensorType>(op->getOperand(0).getType());
}

/// Whether an operation hands a real part on, maybe under another type, cuts it
/// out of a padded tensor, or puts it together: makes a tensor without entries
/// of its own, or puts a slice into one.
bool makesRealPart(OpResult result) {
  Operation *op = result.getOwner();
  if (cutsOut(op))
    return !isDynamic(op->getOperand(0).getType());
  return isUnwritten(result) || llvm::any_of(op->getOpOperands(), isPutInto) ||
         handsOnRanked(op) || isa<CallOpInterface, RegionBranchOpInterface>(op);
}

/// Whether the user of a real part measures it, puts it into another tensor,
/// puts a part into it, or hands it on.
bool takesRealPart(OpOperand &use) {
  Operation *op = use.getOwner();
  return op->hasTrait<OpTrait::IsTerminator>() || isPutInto(use) ||
         isFilledBySlice(use) || asksForShapeOnly(op) || handsOnRanked(op) ||
         isa<CallOpInterface>(op);
}

/// The advice for a value of dynamic shape.
constexpr llvm::StringLiteral advice =
    "; npu-pad-to-max-prompt-len makes extents static that are expressions of "
    "the prompt's length";

LogicalResult refuseArgument(FunctionOpInterface function, Type type) {
  return marked(mlir::emitError(function.getLoc())
                    << "expected static shapes, got an argument of " << type
                    << advice,
                RefusalKind::DynamicShape);
}

LogicalResult verifyArguments(FunctionOpInterface function) {
  for (Type type : function.getArgumentTypes())
    if (function.isExternal() && isDynamic(type))
      return refuseArgument(function, type);
  if (function.isExternal())
    return success();
  for (BlockArgument argument : function.getArguments())
    if (isDynamic(argument.getType()) &&
        !llvm::all_of(argument.getUses(), takesRealPart))
      return refuseArgument(function, argument.getType());
  return success();
}

LogicalResult verifyResults(Operation *op) {
  for (OpResult result : op->getResults())
    if (isDynamic(result.getType()) &&
        (!makesRealPart(result) ||
         !llvm::all_of(result.getUses(), takesRealPart))) {
      InFlightDiagnostic error = mlir::emitError(op->getLoc())
                                 << "expected static shapes, got "
                                 << result.getType() << advice;
      noteNode(error, op);
      return marked(std::move(error), RefusalKind::DynamicShape);
    }
  return success();
}

} // namespace

LogicalResult verifyStaticShapes(Operation *root) {
  WalkResult walk = root->walk([](Operation *op) -> WalkResult {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return verifyArguments(function);
    return verifyResults(op);
  });
  return failure(walk.wasInterrupted());
}

// Encodings are verified where types are parsed, not where patterns of other
// dialects build types (an extract_slice that copies its source's encoding).
LogicalResult verifyOwnLayoutsFit(Operation *op) {
  bool allFit = true;
  auto check = [&](Value value, Location loc) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isDistributed(type) || getPlacement(type))
      return;
    allFit = false;
    mlir::emitError(loc) << "expected a layout that fits the tensor "
                         << nameOf(value) << " of type " << type << ": "
                         << whyNoPlacement(type);
  };
  forEachOwnValue(op, check);
  return success(allFit);
}

LogicalResult verifyLayoutsFit(Operation *root) {
  bool allFit = true;
  root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { allFit &= succeeded(verifyOwnLayoutsFit(op)); });
  return success(allFit);
}

} // namespace npu
