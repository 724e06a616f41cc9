// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that nothing computes on tensors of dynamic shape. A padded function
// still takes and gives real parts, which are dynamic and stay in DDR.

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether an operation hands a real part on, or cuts it out of a padded
/// tensor.
bool makesRealPart(Operation *op) {
  if (cutsOut(op))
    return !isDynamic(op->getOperand(0).getType());
  return isa<CallOpInterface, RegionBranchOpInterface>(op);
}

/// Whether the user of a real part measures it, puts it into a padded tensor,
/// or hands it on.
bool takesRealPart(OpOperand &use) {
  Operation *op = use.getOwner();
  // An argument that is returned as it is has not been padded.
  if (op->hasTrait<OpTrait::IsTerminator>())
    return !isa<BlockArgument>(use.get());
  return isPutInto(use) || asksForShapeOnly(op) || isa<CallOpInterface>(op);
}

/// The advice for a value of dynamic shape.
constexpr llvm::StringLiteral advice =
    "; npu-pad-to-max-prompt-len makes them static";

LogicalResult verifyArguments(FunctionOpInterface function) {
  for (Type type : function.getArgumentTypes())
    if (function.isExternal() && isDynamic(type))
      return mlir::emitError(function.getLoc())
             << "expected static shapes, got an argument of " << type << advice;
  if (function.isExternal())
    return success();
  for (BlockArgument argument : function.getArguments())
    if (isDynamic(argument.getType()) &&
        (argument.use_empty() ||
         !llvm::all_of(argument.getUses(), takesRealPart)))
      return mlir::emitError(function.getLoc())
             << "expected static shapes, got an argument of "
             << argument.getType() << advice;
  return success();
}

LogicalResult verifyResults(Operation *op) {
  for (Value result : op->getResults())
    if (isDynamic(result.getType()) &&
        (!makesRealPart(op) || !llvm::all_of(result.getUses(), takesRealPart)))
      return mlir::emitError(op->getLoc())
             << "expected static shapes, got " << result.getType() << advice;
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

} // namespace npu
