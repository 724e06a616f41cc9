// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-transfers: lowers transfers to copies between strided parts of
// memory, for the machine that runs the program.

#include "../Buffers/TransferParts.h"
#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERTRANSFERS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

void lower(TransferOp transfer) {
  OpBuilder builder(transfer);
  Location loc = transfer.getLoc();
  auto permutation = transpositionOf(transfer);
  Value source =
      partOf(builder, loc, transfer.getSource(), transfer.getSourcePart());
  for (auto [i, dest] : llvm::enumerate(transfer.getDests()))
    copyPart(builder, loc, source,
             partOf(builder, loc, dest, transfer.getDestPart(i)), permutation);
}

struct LowerTransfersPass : impl::LowerTransfersBase<LowerTransfersPass> {
  using LowerTransfersBase::LowerTransfersBase;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](TransferOp transfer) {
      if (!transfer.hasPureBufferSemantics()) {
        transfer.emitOpError()
            << "expected memrefs, which npu-to-buffers makes, got "
            << transfer.getSource().getType();
        return WalkResult::interrupt();
      }
      if (!transfer.getBox().isEmpty())
        lower(transfer);
      transfer.erase();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
