// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, pads, concatenations and reshapes, each on the part that a tile
// holds.

#include "Patterns.h"
#include "npu/Interfaces/OpAccess.h"

#include "npu/Dialect/NPU/Transforms/AddedValue.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Memory order without dropped dimensions, the others renumbered.
Permutation withoutDims(const Permutation &order,
                        const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> renumbered(order.size());
  int64_t next = 0;
  for (size_t dim = 0; dim < order.size(); ++dim)
    renumbered[dim] = dropped[dim] ? -1 : next++;
  Permutation result;
  for (int64_t dim : order)
    if (!dropped[dim])
      result.push_back(renumbered[dim]);
  return result;
}

SmallVector<int64_t> permuted(const Extents &sizes, const Permutation &order) {
  SmallVector<int64_t> result;
  for (int64_t dim : order)
    result.push_back(sizes[dim]);
  return result;
}

/// Calls `cut(tile, box)` for every tile of the result; an empty box gives an
/// empty tensor.
template <typename Cut>
SmallVector<Value> perTile(ConversionPatternRewriter &rewriter, Location loc,
                           RankedTensorType type, Cut cut) {
  SmallVector<Value> values;
  for (auto [tile, boxes] : llvm::enumerate(getPlacement(type)->tiles)) {
    TileBuilder tiles(rewriter, loc, tile);
    values.push_back(boxes.memory.isEmpty() ? tiles.empty(localType(type, tile))
                                            : cut(tiles, tile, boxes.memory));
  }
  return values;
}

void replace(Operation *op, SmallVector<Value> values,
             ConversionPatternRewriter &rewriter) {
  SmallVector<SmallVector<Value>> results;
  results.push_back(std::move(values));
  rewriter.replaceOpWithMultiple(op, std::move(results));
}

struct CutExtractSlice : OpConversionPattern<tensor::ExtractSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ExtractSliceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Parts source = partsOf(op.getSource(), adaptor.getSource());
    RankedTensorType type = op.getType();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    Permutation sliced = withoutDims(source.order(), dropped);
    bool keepsIndices =
        dropped.none() && op.hasUnitStride() &&
        llvm::all_of(op.getStaticOffsets(), [](int64_t at) { return at == 0; });
    auto cut = [&](TileBuilder &tiles, unsigned tile, const Box &box) {
      Box held = source.held(tile);
      Extents offsets, sizes, strides;
      size_t next = 0;
      for (size_t dim = 0; dim < held.rank(); ++dim) {
        int64_t stride = op.getStaticStrides()[dim];
        Range range = dropped[dim] ? Range{0, 1} : box[next++];
        offsets.push_back(op.getStaticOffsets()[dim] + range.begin * stride -
                          held[dim].begin);
        sizes.push_back(range.extent());
        strides.push_back(stride);
      }
      Value part = tiles.stridedSlice(
          source.values[tile], permuted(offsets, source.order()),
          permuted(sizes, source.order()), permuted(strides, source.order()));
      tiles.setOffset(
          part.getDefiningOp(),
          permuted(toExtents(op.getStaticOffsets()), source.order()));
      part = tiles.reshape(part, permuted(box.sizes(), sliced));
      part = tiles.reorder(part, sliced, getOrder(type));
      return keepsIndices ? part : tiles.beginAt(part, box, getOrder(type));
    };
    replace(op, perTile(rewriter, op.getLoc(), type, cut), rewriter);
    return success();
  }
};

struct CutInsertSlice : OpConversionPattern<tensor::InsertSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::InsertSliceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Parts source = partsOf(op.getSource(), adaptor.getSource());
    Parts dest = partsOf(op.getDest(), adaptor.getDest());
    RankedTensorType type = op.getType();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    Permutation inserted = withoutDims(getOrder(type), dropped);
    auto cut = [&](TileBuilder &tiles, unsigned tile, const Box &box) {
      Value into =
          tiles.slice(dest.values[tile], dest.held(tile), box, dest.order());
      // The part of the slice that lies in this tile's box, here and in the
      // source.
      Box target(box.rank()), from(box.rank()), part;
      for (size_t dim = 0; dim < box.rank(); ++dim) {
        int64_t offset = op.getStaticOffsets()[dim];
        target[dim] =
            intersect(box[dim], {offset, offset + op.getStaticSizes()[dim]});
        from[dim] = {target[dim].begin - offset, target[dim].end - offset};
        if (!dropped[dim])
          part.push_back(from[dim]);
      }
      if (target.isEmpty())
        return into;
      Value value = tiles.slice(source.values[tile], source.held(tile), part,
                                source.order());
      value = tiles.reorder(value, source.order(), inserted);
      Value inAllDims =
          tiles.reshape(value, permuted(target.sizes(), getOrder(type)));
      if (inAllDims != value)
        tiles.beginAt(inAllDims, from, getOrder(type));
      return from == target
                 ? tiles.insert(inAllDims, target, into, box, getOrder(type))
                 : tiles.insertOther(inAllDims, from, target, into, box,
                                     getOrder(type));
    };
    replace(op, perTile(rewriter, op.getLoc(), type, cut), rewriter);
    return success();
  }
};

struct CutPad : OpConversionPattern<tensor::PadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::PadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value padding = addedValue(rewriter, op);
    if (!padding)
      return rewriter.notifyMatchFailure(op, "a padding that varies");
    Parts source = partsOf(op.getSource(), adaptor.getSource());
    RankedTensorType type = op.getType();
    auto cut = [&](TileBuilder &tiles, unsigned tile, const Box &box) {
      Value init = tiles.empty(localType(type, tile));
      Value local = tiles
                        .mark(linalg::FillOp::create(rewriter, op.getLoc(),
                                                     padding, init))
                        ->getResult(0);
      Box target(box.rank()), part(box.rank());
      for (size_t dim = 0; dim < box.rank(); ++dim) {
        int64_t low = op.getStaticLow()[dim];
        target[dim] =
            intersect(box[dim], {low, low + source.type.getDimSize(dim)});
        part[dim] = {target[dim].begin - low, target[dim].end - low};
      }
      if (target.isEmpty())
        return local;
      Value value = tiles.slice(source.values[tile], source.held(tile), part,
                                source.order());
      value = tiles.reorder(value, source.order(), getOrder(type));
      return part == target
                 ? tiles.insert(value, target, local, box, getOrder(type))
                 : tiles.insertOther(value, part, target, local, box,
                                     getOrder(type));
    };
    replace(op, perTile(rewriter, op.getLoc(), type, cut), rewriter);
    return success();
  }
};

struct CutConcat : OpConversionPattern<tensor::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ConcatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getResult());
    uint64_t along = op.getDim();
    auto cut = [&](TileBuilder &tiles, unsigned tile, const Box &box) {
      Value local = tiles.empty(localType(type, tile));
      int64_t offset = 0;
      for (auto [operand, converted] :
           llvm::zip(op.getInputs(), adaptor.getInputs())) {
        Parts source = partsOf(operand, converted);
        int64_t extent = source.type.getDimSize(along);
        Box target = box, part = box;
        target[along] = intersect(box[along], {offset, offset + extent});
        part[along] = {target[along].begin - offset,
                       target[along].end - offset};
        offset += extent;
        if (target.isEmpty())
          continue;
        Value value = tiles.slice(source.values[tile], source.held(tile), part,
                                  source.order());
        value = tiles.reorder(value, source.order(), getOrder(type));
        local = part == target
                    ? tiles.insert(value, target, local, box, getOrder(type))
                    : tiles.insertOther(value, part, target, local, box,
                                        getOrder(type));
      }
      return local;
    };
    replace(op, perTile(rewriter, op.getLoc(), type, cut), rewriter);
    return success();
  }
};

/// expand_shape and collapse_shape: where a tile's box is one run of the
/// source's elements, the run under the other shape.
template <typename ReshapeOp>
struct CutReshape : OpConversionPattern<ReshapeOp> {
  using OpConversionPattern<ReshapeOp>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<ReshapeOp>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(ReshapeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Parts source = partsOf(op.getSrc(), adaptor.getSrc());
    RankedTensorType type = tensorType(op.getResult());
    std::optional<OpAccess> access = OpAccess::get(op);
    auto cut = [&](TileBuilder &tiles, unsigned tile, const Box &box) {
      Box part = access->read(0, access->iterationsFor(0, box));
      Permutation logical = identityPermutation(part.rank());
      Value value = tiles.slice(source.values[tile], source.held(tile), part,
                                source.order());
      value = tiles.reorder(value, source.order(), logical);
      Value reshaped = tiles.reshape(
          value, permuted(box.sizes(), identityPermutation(box.rank())));
      Value result = tiles.reorder(reshaped, identityPermutation(box.rank()),
                                   getOrder(type));
      return reshaped == value
                 ? tiles.rename(result, beginOf(part, getOrder(type)),
                                beginOf(box, getOrder(type)))
                 : tiles.beginAt(result, box, getOrder(type));
    };
    replace(op, perTile(rewriter, op.getLoc(), type, cut), rewriter);
    return success();
  }
};

} // namespace

void populateTensorPatterns(const TileTypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<CutExtractSlice, CutInsertSlice, CutPad, CutConcat,
               CutReshape<tensor::ExpandShapeOp>,
               CutReshape<tensor::CollapseShapeOp>>(converter,
                                                    patterns.getContext(), 2);
}

} // namespace npu
