// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-transfers: lowers transfers to copies between strided parts of
// memory, for the machine that runs the program.

#include "npu/Conversion/ToLLVM/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERTRANSFERS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The permutation of a transpose from source to destination: memory dimension
/// i of the destination is logical dimension destOrder[i], which is at the
/// place in the source where sourceOrder has the same number.
SmallVector<int64_t> sourceDimensions(const Permutation &sourceOrder,
                                      const Permutation &destOrder) {
  SmallVector<int64_t> result;
  for (int64_t logical : destOrder)
    result.push_back(llvm::find(sourceOrder, logical) - sourceOrder.begin());
  return result;
}

/// The subview of a buffer that the box covers; the buffer itself where that is
/// the whole.
Value partOf(OpBuilder &builder, Location loc, Value buffer, const Box &part) {
  Extents offsets = part.offsets(), sizes = part.sizes();
  auto type = cast<MemRefType>(buffer.getType());
  if (llvm::equal(sizes, type.getShape()))
    return buffer;
  auto indices = [&](const Extents &values) {
    return getAsIndexOpFoldResult(builder.getContext(),
                                  {values.begin(), values.size()});
  };
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return memref::SubViewOp::create(builder, loc, buffer, indices(offsets),
                                   indices(sizes), ones);
}

void lower(TransferOp transfer) {
  OpBuilder builder(transfer);
  Location loc = transfer.getLoc();
  Permutation sourceOrder = transfer.getSourceOrderOrIdentity();
  Permutation destOrder = transfer.getDestOrderOrIdentity();
  Value source =
      partOf(builder, loc, transfer.getSource(), transfer.getSourcePart());
  for (auto [i, dest] : llvm::enumerate(transfer.getDests())) {
    Value part = partOf(builder, loc, dest, transfer.getDestPart(i));
    if (sourceOrder == destOrder)
      memref::CopyOp::create(builder, loc, source, part);
    else
      linalg::TransposeOp::create(builder, loc, source, part,
                                  sourceDimensions(sourceOrder, destOrder));
  }
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
