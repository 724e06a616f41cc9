// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/StructureSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {
namespace {

bool isEmpty(ArrayRef<int64_t> extents) {
  return llvm::is_contained(extents, 0);
}

/// Whether the dimensions that a slice drops do not follow from its sizes
/// alone.
template <typename SliceOp>
bool dropsUnclearly(SliceOp op, RankedTensorType part) {
  int64_t dropped = op.getStaticSizes().size() - part.getRank();
  return dropped != 0 &&
         (llvm::count(op.getStaticSizes(), 1) != dropped ||
          llvm::any_of(op.getStaticStrides(),
                       [](int64_t stride) { return stride != 1; }));
}

/// The groups of a collapse_shape that drops these dimensions: each kept
/// dimension with adjacent dropped ones.
SmallVector<ReassociationIndices>
groupsOfKept(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices inFront;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (dropped[dim]) {
      (groups.empty() ? inFront : groups.back()).push_back(dim);
      continue;
    }
    groups.push_back(std::exchange(inFront, {}));
    groups.back().push_back(dim);
  }
  return groups;
}

void structure(RewriterBase &rewriter, tensor::ExtractSliceOp op) {
  RankedTensorType type = op.getType();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  if (isEmpty(op.getStaticSizes())) {
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                          type.getElementType());
    if (empty.getType() != type)
      empty = tensor::CastOp::create(rewriter, op.getLoc(), type, empty);
    rewriter.replaceOp(op, empty);
    return;
  }
  if (!dropsUnclearly(op, type))
    return;
  auto whole = cast<RankedTensorType>(tensor::ExtractSliceOp::inferResultType(
      op.getSourceType(), op.getStaticSizes()));
  Value part = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(), whole, op.getSource(), op.getMixedOffsets(),
      op.getMixedSizes(), op.getMixedStrides());
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, part,
                                                       groupsOfKept(dropped));
}

/// The inserted tensor, expanded by the dimensions that it lacks.
template <typename InsertOp>
Value withDropped(RewriterBase &rewriter, InsertOp op) {
  auto type = RankedTensorType::get(op.getStaticSizes(),
                                    op.getSourceType().getElementType());
  return tensor::ExpandShapeOp::create(
      rewriter, op.getLoc(), type, op.getSource(),
      groupsOfKept(op.getDroppedDims()), op.getMixedSizes());
}

void structure(RewriterBase &rewriter, tensor::InsertSliceOp op) {
  if (isEmpty(op.getStaticSizes())) {
    rewriter.replaceOp(op, op.getDest());
    return;
  }
  if (dropsUnclearly(op, op.getSourceType()))
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, withDropped(rewriter, op), op.getDest(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
}

void structure(RewriterBase &rewriter, tensor::ParallelInsertSliceOp op) {
  if (isEmpty(op.getStaticSizes())) {
    rewriter.eraseOp(op);
    return;
  }
  if (!dropsUnclearly(op, op.getSourceType()))
    return;
  // The region of the parent may only contain insertions.
  rewriter.setInsertionPoint(op->getParentOp());
  Value part = withDropped(rewriter, op);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<tensor::ParallelInsertSliceOp>(
      op, part, op.getDest(), op.getMixedOffsets(), op.getMixedSizes(),
      op.getMixedStrides());
}

void structure(RewriterBase &rewriter, tensor::ConcatOp op) {
  RankedTensorType type = op.getResultType();
  if (isEmpty(type.getShape()) && type.hasStaticShape()) {
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type.getShape(),
                                                 type.getElementType());
    return;
  }
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (!isEmpty(cast<RankedTensorType>(input.getType()).getShape()))
      inputs.push_back(input);
  if (inputs.empty() || inputs.size() == op.getInputs().size())
    return;
  rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, type, op.getDim(), inputs);
}

/// Rewrites a pad whose result has no entry of its source.
void generateAll(RewriterBase &rewriter, tensor::PadOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> extents;
  for (auto [dim, low, high] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad())) {
    if (!op.getType().isDynamicDim(dim))
      continue;
    Value extent = tensor::DimOp::create(rewriter, loc, op.getSource(),
                                         static_cast<int64_t>(dim));
    for (OpFoldResult added : {low, high})
      extent = arith::AddIOp::create(
          rewriter, loc, extent,
          getValueOrCreateConstantIndexOp(rewriter, loc, added));
    extents.push_back(extent);
  }
  auto all = tensor::GenerateOp::create(rewriter, loc, op.getType(), extents);
  all.getBody().takeBody(op.getRegion());
  rewriter.replaceOp(op, all.getResult());
}

/// A pad that cuts off entries, or may at run time, as a pad of the part of its
/// source that the result has: upstream would write the whole source. Where
/// that part is empty, the whole result is added in front and after.
struct PadOfPart {
  SmallVector<OpFoldResult> offsets, sizes, low, high;

  void keep(RewriterBase &rewriter, tensor::PadOp op, int64_t dim) {
    offsets.push_back(rewriter.getIndexAttr(0));
    sizes.push_back(
        tensor::getMixedSize(rewriter, op.getLoc(), op.getSource(), dim));
    low.push_back(op.getMixedLowPad()[dim]);
    high.push_back(op.getMixedHighPad()[dim]);
  }

  void cut(RewriterBase &rewriter, tensor::PadOp op, int64_t dim) {
    Location loc = op.getLoc();
    auto value = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, number);
    };
    auto add = [&](Value a, Value b) {
      return rewriter.createOrFold<arith::AddIOp>(loc, a, b);
    };
    auto subtract = [&](Value a, Value b) {
      return rewriter.createOrFold<arith::SubIOp>(loc, a, b);
    };
    auto least = [&](Value a, Value b) {
      return rewriter.createOrFold<arith::MinSIOp>(loc, a, b);
    };
    auto most = [&](Value a, Value b) {
      return rewriter.createOrFold<arith::MaxSIOp>(loc, a, b);
    };
    Value zero = value(rewriter.getIndexAttr(0));
    Value extent =
        value(tensor::getMixedSize(rewriter, loc, op.getSource(), dim));
    Value before = value(op.getMixedLowPad()[dim]),
          after = value(op.getMixedHighPad()[dim]);
    Value begin = least(most(subtract(zero, before), zero), extent);
    Value end = add(extent, least(after, zero));
    Value size = most(subtract(end, begin), zero);
    Value total = add(add(extent, before), after);
    Value added = least(most(before, zero), total);
    offsets.push_back(begin);
    sizes.push_back(size);
    low.push_back(added);
    high.push_back(subtract(subtract(total, added), size));
  }
};

void structure(RewriterBase &rewriter, tensor::PadOp op) {
  RankedTensorType source = op.getSourceType();
  if (isEmpty(source.getShape()))
    return generateAll(rewriter, op);
  auto mayBeNegative = [](OpFoldResult added) {
    return getConstantIntValue(added).value_or(-1) < 0;
  };
  if (llvm::none_of(op.getMixedLowPad(), mayBeNegative) &&
      llvm::none_of(op.getMixedHighPad(), mayBeNegative))
    return;
  PadOfPart part;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    int64_t extent = source.getDimSize(dim), before = op.getStaticLow()[dim],
            after = op.getStaticHigh()[dim];
    if (!mayBeNegative(op.getMixedLowPad()[dim]) &&
        !mayBeNegative(op.getMixedHighPad()[dim])) {
      part.keep(rewriter, op, dim);
      continue;
    }
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(before) ||
        ShapedType::isDynamic(after)) {
      part.cut(rewriter, op, dim);
      continue;
    }
    int64_t begin = std::max<int64_t>(0, -before),
            end = std::min(extent, extent + after);
    if (begin >= end)
      return generateAll(rewriter, op);
    part.offsets.push_back(rewriter.getIndexAttr(begin));
    part.sizes.push_back(rewriter.getIndexAttr(end - begin));
    part.low.push_back(rewriter.getIndexAttr(std::max<int64_t>(0, before)));
    part.high.push_back(rewriter.getIndexAttr(std::max<int64_t>(0, after)));
  }
  SmallVector<OpFoldResult> ones(source.getRank(), rewriter.getIndexAttr(1));
  Value kept = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(), op.getSource(), part.offsets, part.sizes, ones);
  auto padded = tensor::PadOp::create(rewriter, op.getLoc(), op.getType(), kept,
                                      part.low, part.high, op.getNofold());
  padded.getRegion().takeBody(op.getRegion());
  rewriter.replaceOp(op, padded.getResult());
}

} // namespace

void structureSlice(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ParallelInsertSliceOp, tensor::ConcatOp, tensor::PadOp>(
          [&](auto slice) { structure(rewriter, slice); });
}

} // namespace npu
