// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TransferParts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace npu {

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

std::optional<SmallVector<int64_t>> transpositionOf(TransferOp transfer) {
  Permutation sourceOrder = transfer.getSourceOrderOrIdentity();
  Permutation destOrder = transfer.getDestOrderOrIdentity();
  if (sourceOrder == destOrder)
    return std::nullopt;
  // Memory dimension i of the destination is logical dimension destOrder[i],
  // which is at the place in the source where sourceOrder has the same number.
  SmallVector<int64_t> permutation;
  for (int64_t logical : destOrder)
    permutation.push_back(llvm::find(sourceOrder, logical) -
                          sourceOrder.begin());
  return permutation;
}

TransferOp createOnlyTo(TransferOp transfer, ArrayRef<unsigned> dests) {
  OpBuilder builder(transfer);
  SmallVector<Value> buffers{transfer.getSource()};
  SmallVector<int64_t> to, offsets;
  for (unsigned i : dests) {
    buffers.push_back(transfer.getDests()[i]);
    to.push_back(transfer.getTo()[i]);
    llvm::append_range(offsets, transfer.getDestOffset(i));
  }
  auto only = TransferOp::create(builder, transfer.getLoc(), TypeRange(),
                                 buffers, transfer->getAttrs());
  only.setTo(to);
  only.setDestOffsets(offsets);
  return only;
}

void copyPart(OpBuilder &builder, Location loc, Value source, Value dest,
              const std::optional<SmallVector<int64_t>> &permutation) {
  if (permutation)
    linalg::TransposeOp::create(builder, loc, source, dest, *permutation);
  else
    memref::CopyOp::create(builder, loc, source, dest);
}

} // namespace npu
