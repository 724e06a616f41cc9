// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-transfers: a transfer is a slice that is inserted elsewhere.

#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERTRANSFERS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

SmallVector<OpFoldResult> indices(OpBuilder &builder,
                                  ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

/// transposed[i] has dimension permutation[i] of the source: memory dimension i
/// of the destination is logical dimension destOrder[i], which the source has
/// at the place where its order says the same.
SmallVector<int64_t> sourceDimensions(const Permutation &sourceOrder,
                                      const Permutation &destOrder) {
  SmallVector<int64_t> result;
  for (int64_t logical : destOrder)
    result.push_back(llvm::find(sourceOrder, logical) - sourceOrder.begin());
  return result;
}

/// The destination with the box written into it.
Value lowerTo(OpBuilder &builder, TransferOp transfer, unsigned dest) {
  Location loc = transfer.getLoc();
  Value into = transfer.getDests()[dest];
  SmallVector<OpFoldResult> ones(transfer.getSize().size(),
                                 builder.getIndexAttr(1));
  auto destOffset = indices(builder, transfer.getDestOffset(dest));
  auto destSizes = indices(builder, transfer.getDestSizes());
  Value box = tensor::ExtractSliceOp::create(
      builder, loc, transfer.getSource(),
      indices(builder, transfer.getSourceOffset()),
      indices(builder, transfer.getSourceSizes()), ones);
  Permutation sourceOrder = transfer.getSourceOrderOrIdentity();
  Permutation destOrder = transfer.getDestOrderOrIdentity();
  if (sourceOrder != destOrder) {
    Value place = tensor::ExtractSliceOp::create(builder, loc, into, destOffset,
                                                 destSizes, ones);
    box = linalg::TransposeOp::create(builder, loc, box, place,
                                      sourceDimensions(sourceOrder, destOrder))
              ->getResult(0);
  }
  return tensor::InsertSliceOp::create(builder, loc, box, into, destOffset,
                                       destSizes, ones);
}

struct LowerTransfersPass : impl::LowerTransfersBase<LowerTransfersPass> {
  using LowerTransfersBase::LowerTransfersBase;

  void runOnOperation() override {
    getOperation()->walk([](TransferOp transfer) {
      OpBuilder builder(transfer);
      bool empty = llvm::is_contained(transfer.getSize(), 0);
      for (auto [i, result] : llvm::enumerate(transfer.getResults()))
        result.replaceAllUsesWith(empty ? transfer.getDests()[i]
                                        : lowerTo(builder, transfer, i));
      transfer.erase();
    });
  }
};

} // namespace
} // namespace npu
