// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that only written entries are read. npu-verify-tile-program checks
// this of tile programs, so that a lost transfer is found; functions that read
// unwritten entries themselves are found here, before they are lowered.

#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Support/Naming.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

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
        return marked(mlir::emitError(op->getLoc())
                          << "'" << op->getName() << "' reads "
                          << toString(*missing) << " of operand #"
                          << operand.getOperandNumber() << " ("
                          << nameOf(operand.get())
                          << "), which nobody has written: a tensor.empty "
                             "holds no values",
                      RefusalKind::ReadsUnwritten);
    }
  }
  return success();
}

} // namespace

LogicalResult verifyWritten(Operation *root) {
  bool written = true;
  // Check all operations of a function that has tensors on tiles, because the
  // verifier of its tile program does.
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
