// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing reads what nobody has written. A tile program is checked for that
// (npu-verify-tile-program), so that a lost transfer is found; a function that
// does it by itself is found here, before there is a program.

#include "npu/Analysis/ComputeChoices.h"
#include "npu/Analysis/WrittenParts.h"
#include "npu/Dialect/NPU/Transforms/InsertRedistributions.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// Control flow hands on, and others read.
bool handsOn(Operation *op) {
  return isa<RegionBranchOpInterface>(op) ||
         (op->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op));
}

/// What only moves may move nothing at all; the lowering makes that anew.
bool moves(Operation *op) {
  return isa<DistributionCastOp, RedistributeOp, PermuteCastOp, tensor::CastOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, CallOpInterface>(op);
}

/// What an operation reads of an operand; nothing where it overwrites it.
std::optional<Box> readBox(Operation *op, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || !type.hasStaticShape() || type.getRank() > kMaxRank)
    return std::nullopt;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.payloadUsesValueFromOperand(&operand))
      return std::nullopt;
  } else if (auto style = dyn_cast<DestinationStyleOpInterface>(op);
             style && style.isDpsInit(&operand)) {
    return std::nullopt;
  }
  if (std::optional<OpAccess> access = OpAccess::get(op))
    return access->read(operand.getOperandNumber(), access->domain());
  return Box::whole(toExtents(type.getShape()));
}

LogicalResult verifyReads(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<Box> reads = readBox(op, operand);
    if (!reads || reads->isEmpty() ||
        (moves(op) && isMadeOfNothing(operand.get())))
      continue;
    for (const WrittenBoxes &written : waysWritten(operand.get())) {
      bool gaveUp = false;
      std::optional<Box> missing =
          findUncovered(*reads, {written.data(), written.size()}, gaveUp);
      if (missing)
        return mlir::emitError(op->getLoc())
               << "'" << op->getName() << "' reads " << toString(*missing)
               << " of operand #" << operand.getOperandNumber() << " ("
               << nameOf(operand.get())
               << "), which nobody has written: a tensor.empty holds no values";
    }
  }
  return success();
}

} // namespace

LogicalResult verifyWritten(Operation *root) {
  bool written = true;
  root->walk([&](Operation *op) {
    if (touchesTiles(op) && !handsOn(op))
      written &= succeeded(verifyReads(op));
  });
  // What is returned has to be whole, in DDR as well where tiles may have made
  // it.
  root->walk([&](func::FuncOp function) {
    bool onTiles = function
                       .walk([](Operation *op) {
                         return touchesTiles(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (onTiles)
      function.walk([&](func::ReturnOp op) {
        if (!touchesTiles(op) &&
            llvm::any_of(op.getOperands(), isMadeOfNothing))
          written &= succeeded(verifyReads(op));
      });
  });
  return success(written);
}

} // namespace npu
