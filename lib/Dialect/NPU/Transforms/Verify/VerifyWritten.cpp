// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing reads what nobody has written. A tile program is checked for that
// (npu-verify-tile-program), so that a lost transfer is found; a function that
// does it by itself is found here, before there is a program.

#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
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

LogicalResult verifyReads(Operation *op, EmptyOrigins &origins,
                          WrittenParts &parts) {
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<Box> reads = boxRead(op, operand);
    if (!reads || reads->isEmpty() ||
        (mayMoveNothing(op) && origins.isMadeOfNothing(operand.get())))
      continue;
    for (const WrittenBoxes &written : parts.waysWritten(operand.get())) {
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
  // What tiles made may be anywhere in a function that has some on tiles, and
  // its tile program is held to the same.
  root->walk([&](func::FuncOp function) {
    auto onTiles = [](Operation *op) {
      return touchesTiles(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!function.walk(onTiles).wasInterrupted())
      return;
    EmptyOrigins origins;
    WrittenParts parts(origins);
    function.getBody().walk([&](Operation *op) {
      if (!handsOn(op))
        written &= succeeded(verifyReads(op, origins, parts));
    });
  });
  return success(written);
}

} // namespace npu
