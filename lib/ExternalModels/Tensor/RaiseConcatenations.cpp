// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/RaiseConcatenations.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace npu {
namespace {

/// The insertions whose results become each other's destinations, the last one
/// first; empty where the first destination is no empty tensor of static shape.
SmallVector<tensor::InsertSliceOp> chainAfter(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> chain = {last};
  while (auto before =
             chain.back().getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    // Whoever else reads it sees a tensor that is written in part.
    if (!before->hasOneUse())
      return {};
    chain.push_back(before);
  }
  bool isEmpty = chain.back().getDest().getDefiningOp<tensor::EmptyOp>();
  return isEmpty && last.getType().hasStaticShape()
             ? chain
             : SmallVector<tensor::InsertSliceOp>();
}

/// Whether an insertion continues another one, so that it is not the last of
/// its chain.
bool isContinued(tensor::InsertSliceOp op) {
  if (!op->hasOneUse())
    return false;
  auto next = dyn_cast<tensor::InsertSliceOp>(*op->getUsers().begin());
  return next && next.getDest() == op.getResult();
}

/// Whether the insertion writes whole, dense slabs along `dim` alone.
bool writesSlab(tensor::InsertSliceOp op, int64_t dim) {
  RankedTensorType type = op.getType(), source = op.getSourceType();
  if (source.getRank() != type.getRank() || !source.hasStaticShape() ||
      hasLayout(type) || hasLayout(source))
    return false;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (op.getStaticStrides()[d] != 1 ||
        ShapedType::isDynamic(op.getStaticOffsets()[d]) ||
        (d != dim && (op.getStaticOffsets()[d] != 0 ||
                      source.getDimSize(d) != type.getDimSize(d))))
      return false;
  return true;
}

/// The sources of the chain in their order along `dim`; empty where they are
/// not its slabs, every entry once.
SmallVector<Value> slabsAlong(ArrayRef<tensor::InsertSliceOp> chain,
                              int64_t dim) {
  SmallVector<tensor::InsertSliceOp> ordered(chain);
  if (!llvm::all_of(
          chain, [&](tensor::InsertSliceOp op) { return writesSlab(op, dim); }))
    return {};
  llvm::sort(ordered, [&](tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
    return a.getStaticOffsets()[dim] < b.getStaticOffsets()[dim];
  });
  int64_t end = 0;
  SmallVector<Value> sources;
  for (tensor::InsertSliceOp op : ordered) {
    if (op.getStaticOffsets()[dim] != end)
      return {};
    end += op.getSourceType().getDimSize(dim);
    sources.push_back(op.getSource());
  }
  return end == ordered.front().getType().getDimSize(dim)
             ? sources
             : SmallVector<Value>();
}

void raise(tensor::InsertSliceOp last, IRRewriter &rewriter) {
  SmallVector<tensor::InsertSliceOp> chain = chainAfter(last);
  if (chain.size() < 2)
    return;
  for (int64_t dim = 0; dim < last.getType().getRank(); ++dim) {
    SmallVector<Value> sources = slabsAlong(chain, dim);
    if (sources.empty())
      continue;
    rewriter.setInsertionPoint(last);
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(last, last.getType(), dim,
                                                  sources);
    for (tensor::InsertSliceOp op : ArrayRef(chain).drop_front())
      rewriter.eraseOp(op);
    return;
  }
}

} // namespace

void raiseConcatenations(ModuleOp module) {
  SmallVector<tensor::InsertSliceOp> last;
  module.walk([&](tensor::InsertSliceOp op) {
    if (!isContinued(op))
      last.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (tensor::InsertSliceOp op : last)
    raise(op, rewriter);
}

} // namespace npu
