// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of PaddingOpInterface for slices and insertions along padded
// dimensions. Upstream's lowering of TOSA concatenates dynamic shapes by
// insertions one after the other.

#include "../Models.h"
#include "EntryCode.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The padding of a slice of dimension `dim`. It may take all real entries; all
/// but some of the first and of the last; or a number of them that is the same
/// at every length, at a position that follows the prompt (the last token,
/// say), which has no padding.
MaybeRefused sliceOf(const PaddedDim &dim, tensor::ExtractSliceOp slice,
                     int64_t number, const PaddingTransfer &transfer,
                     std::optional<PaddedDim> &kept) {
  AffineExpr size = transfer.exprOf(slice.getMixedSizes()[number]);
  AffineExpr offset = transfer.exprOf(slice.getMixedOffsets()[number]);
  AffineExpr stride = transfer.exprOf(slice.getMixedStrides()[number]);
  auto refuse = [&](const std::string &what) {
    return Refusal(fmt::format("of {{}}, which has {} real entries of {} along "
                               "dimension {}, {}",
                               spell(dim.real), dim.extent, number, what),
                   slice.getSource());
  };
  if (!size || !offset || !stride)
    return refuse("it takes entries that do not follow from the prompt length");
  if (!isNumber(stride, 1))
    return refuse(fmt::format("it takes entries {} apart", spell(stride)));
  bool dropped = slice.getDroppedDims()[number];
  if (size == dim.real && isNumber(offset, 0) && !dropped) {
    kept = dim;
    return std::nullopt;
  }
  std::string taken =
      fmt::format("it takes {} from {} on", spell(size), spell(offset));
  if (transfer.getPrompt().length)
    return refuse(taken);
  if (!dim.endsInPadding() && !dim.beginsWithPadding())
    return refuse(taken + ", around the padding in the middle");
  if (isa<AffineConstantExpr>(size))
    return std::nullopt;
  auto first = dyn_cast<AffineConstantExpr>(offset);
  auto less = dyn_cast<AffineConstantExpr>(simplified(dim.real - size));
  if (!first || !less || first.getValue() < 0 ||
      less.getValue() < first.getValue() || less.getValue() >= dim.extent)
    return refuse(taken + "; expected all but a constant number of the first "
                          "and of the last");
  // The content of the padding is kept only where the slice reaches up to the
  // padding. A row with fewer entries may have lost the NaN beside which its
  // padding may be a NaN.
  bool besidePadding =
      dim.endsInPadding() ? less == first : first.getValue() == 0;
  kept = PaddedDim{
      size,
      dim.endsInPadding() ? size : getAffineConstantExpr(0, slice.getContext()),
      dim.extent - less.getValue(),
      {}};
  if (besidePadding && dim.content.kind == PaddingContent::Constant)
    kept->content = dim.content;
  return std::nullopt;
}

/// The padding of a slice of as many entries as the prompt says of a dimension
/// without padding, such as a table of positions. With padding on the right,
/// more entries of the table stand there, if it has them at every length.
MaybeRefused sliceFollowingPrompt(tensor::ExtractSliceOp slice, int64_t number,
                                  const PaddingTransfer &transfer,
                                  std::optional<PaddedDim> &kept) {
  AffineExpr size = transfer.exprOf(slice.getMixedSizes()[number]);
  if (!size || isa<AffineConstantExpr>(size))
    return std::nullopt;
  AffineExpr offset = transfer.exprOf(slice.getMixedOffsets()[number]);
  PaddingState taken, reached;
  if (MaybeRefused why = transfer.stateOf(size, taken))
    return why;
  AffineExpr end = offset ? simplified(offset + taken[0]->extent) : size;
  if (MaybeRefused why = transfer.stateOf(end, reached))
    return why;
  std::optional<int64_t> last;
  if (auto constant = dyn_cast<AffineConstantExpr>(end))
    last = constant.getValue();
  else if (reached[0])
    last = reached[0]->extent;
  bool fits = offset && last &&
              *last <= slice.getSourceType().getDimSize(number) &&
              transfer.getPrompt().side == PaddingSide::Right &&
              isNumber(transfer.exprOf(slice.getMixedStrides()[number]), 1);
  if (!fits)
    return Refusal(fmt::format("along dimension {}, it takes {} entries of the "
                               "{} of {{}}, and has none to stand in padding",
                               number, spell(size),
                               slice.getSourceType().getDimSize(number)),
                   slice.getSource());
  kept = taken[0];
  return std::nullopt;
}

Value padSlice(tensor::ExtractSliceOp op, PaddedOperands &operands) {
  OpBuilder &builder = operands.getBuilder();
  Value source = operands.padded(op.getSource(), op.getLoc());
  const PaddingState &state = operands.of(op.getSource());
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes();
  const PaddingState &after = operands.of(op.getResult());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned to = 0;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    unsigned kept = dropped[dim] ? after.size() : to++;
    std::optional<PaddedDim> padded;
    if (dim < int64_t(state.size()))
      padded = state[dim];
    if (!padded) {
      if (kept < after.size() && after[kept])
        sizes[dim] = builder.getIndexAttr(after[kept]->extent);
      continue;
    }
    // The slice takes all real entries, or all but some at the ends, with the
    // padding: a static number of entries.
    if (kept < after.size() && after[kept]) {
      sizes[dim] = builder.getIndexAttr(after[kept]->extent);
      continue;
    }
    AffineExpr offset = operands.exprOf(offsets[dim]);
    AffineExpr before = padded->extent - padded->real;
    offsets[dim] = operands.sizeOf(
        simplified(padded->endsInPadding() ? offset : offset + before));
  }
  RankedTensorType type = operands.paddedType(op.getResult());
  return tensor::ExtractSliceOp::create(builder, op.getLoc(), type, source,
                                        offsets, sizes, op.getMixedStrides());
}

struct ExtractSlicePadding
    : PaddingOpInterface::ExternalModel<ExtractSlicePadding,
                                        tensor::ExtractSliceOp> {
  bool makesEntries(Operation *) const { return true; }

  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto extract = cast<tensor::ExtractSliceOp>(op);
    PaddingState state = transfer.of(extract.getSource());
    state.resize(extract.getSourceType().getRank());
    llvm::SmallBitVector dropped = extract.getDroppedDims();
    PaddingState result;
    for (int64_t dim = 0; dim < extract.getSourceType().getRank(); ++dim) {
      std::optional<PaddedDim> kept;
      if (state[dim])
        if (MaybeRefused why =
                sliceOf(*state[dim], extract, dim, transfer, kept))
          return why;
      if (!state[dim] && !dropped[dim] &&
          !extract.getSourceType().isDynamicDim(dim))
        if (MaybeRefused why =
                sliceFollowingPrompt(extract, dim, transfer, kept))
          return why;
      if (!dropped[dim])
        result.push_back(kept);
    }
    keepConstantExtents(extract.getType(), realExtents(op, transfer), result);
    transfer.setResult(extract, std::move(result));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return {padSlice(cast<tensor::ExtractSliceOp>(op), operands)};
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    SmallVector<AffineExpr> extents;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] :
         llvm::enumerate(transfer.exprsOf(slice.getMixedSizes())))
      if (!dropped[dim])
        extents.push_back(size);
    return extents;
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    EntryCode code(reader, op->getLoc());
    SmallVector<Value> from;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
      from.push_back(code.number(offset));
      if (dropped[dim])
        continue;
      from.back() = code.compute<arith::AddIOp>(
          from.back(),
          code.compute<arith::MulIOp>(at.front(), code.number(stride)));
      at = at.drop_front();
    }
    return code.read(slice.getSource(), from);
  }
};

/// The padding that the destination needs so that `source` can be inserted with
/// its own: none where it is not inserted over the whole of a padded dimension.
PaddingState aroundSource(tensor::InsertSliceOp insert,
                          const PaddingState &source) {
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  PaddingState result(insert.getDestType().getRank());
  unsigned from = 0;
  for (int64_t dim = 0; dim < insert.getDestType().getRank(); ++dim) {
    if (dropped[dim])
      continue;
    if (from < source.size() && source[from]) {
      int64_t extent = insert.getDestType().getDimSize(dim);
      if (ShapedType::isDynamic(extent) ||
          source[from]->real !=
              getAffineConstantExpr(extent, insert.getContext()))
        return {};
      result[dim] = source[from];
    }
    ++from;
  }
  return result;
}

/// Answers for insertions one after the other that fill their destination:
/// they are a concatenation. The tensors between the insertions are not made.
MaybeRefused insertAlongPadding(tensor::InsertSliceOp last,
                                PaddingTransfer &transfer) {
  SmallVector<tensor::InsertSliceOp> inserts{last};
  Value into = last.getDest();
  while (auto insert = into.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!transfer.isSeenThrough(insert))
      break;
    inserts.push_back(insert);
    into = insert.getDest();
  }
  auto refuse = [&](const std::string &what) {
    return Refusal("it writes a part of {} along its padding, and " + what +
                       "; expected parts one after the other, until nothing "
                       "is left",
                   into);
  };
  if (!canBeMadeAgain(into))
    return refuse("that is no empty tensor");
  if (last.getDestType().getEncoding())
    return refuse("that has a layout");
  AffineExpr zero = getAffineConstantExpr(0, last.getContext());
  Concatenation whole;
  std::optional<int64_t> along;
  AffineExpr end = zero;
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts)) {
    if (insert.getDroppedDims().any())
      return refuse("a part has fewer dimensions");
    bool isPart = false;
    for (int64_t dim = 0; dim < last.getDestType().getRank(); ++dim) {
      AffineExpr offset = transfer.exprOf(insert.getMixedOffsets()[dim]);
      AffineExpr size = transfer.exprOf(insert.getMixedSizes()[dim]);
      if (!offset || !size ||
          !isNumber(transfer.exprOf(insert.getMixedStrides()[dim]), 1))
        return refuse(fmt::format("where dimension {} of a part goes does not "
                                  "follow from the prompt length",
                                  dim));
      if (offset == zero && size == transfer.realExtent(into, dim))
        continue;
      if (along.value_or(dim) != dim || offset != end ||
          size != transfer.realExtent(insert.getSource(), dim))
        return refuse(fmt::format("a part of {} entries stands at {} of "
                                  "dimension {}, where {} end",
                                  spell(size), spell(offset), dim, spell(end)));
      along = dim;
      end = simplified(end + size);
      isPart = true;
    }
    if (!isPart)
      return refuse("one part is written over another");
    whole.parts.push_back(insert.getSource());
  }
  whole.along = *along;
  AffineExpr all = transfer.realExtent(into, *along);
  if (end == all)
    return transfer.concatenate(last, whole);
  auto next = last->hasOneUse()
                  ? dyn_cast<tensor::InsertSliceOp>(*last->user_begin())
                  : tensor::InsertSliceOp();
  if (!next || next.getDest() != last.getResult())
    return refuse(fmt::format("nothing is written after the first {} of {} "
                              "entries of dimension {}",
                              spell(end), all ? spell(all) : "?", *along));
  transfer.seeThrough(last);
  return std::nullopt;
}

MaybeRefused throughInsert(tensor::InsertSliceOp insert,
                           PaddingTransfer &transfer) {
  PaddingState dest = transfer.of(insert.getDest());
  PaddingState source = transfer.of(insert.getSource());
  if (!isPadded(dest) && canBeMadeAgain(insert.getDest()))
    dest = aroundSource(insert, source);
  // A destination without padding gets the real part of the source.
  if (!isPadded(dest)) {
    transfer.setResult(insert, {});
    return std::nullopt;
  }
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  unsigned from = 0;
  for (int64_t dim = 0; dim < insert.getDestType().getRank(); ++dim) {
    bool there = !dropped[dim] && from < source.size() && source[from];
    bool whole =
        isNumber(transfer.exprOf(insert.getMixedOffsets()[dim]), 0) &&
        isNumber(transfer.exprOf(insert.getMixedStrides()[dim]), 1) &&
        dest[dim] &&
        transfer.exprOf(insert.getMixedSizes()[dim]) == dest[dim]->real;
    if (dest[dim] && (!whole || dropped[dim]))
      return insertAlongPadding(insert, transfer);
    if (!dest[dim] && there)
      return Refusal(fmt::format("it puts {{}}, of which dimension {} is "
                                 "padded, where dimension {} of the whole is "
                                 "not",
                                 from, dim),
                     insert.getSource());
    from += !dropped[dim];
  }
  PaddingState result = dest;
  for (auto &dim : result)
    if (dim)
      dim->content = {};
  transfer.setResult(insert, std::move(result));
  return std::nullopt;
}

Value padInsert(tensor::InsertSliceOp op, PaddedOperands &operands) {
  OpBuilder &builder = operands.getBuilder();
  Location loc = op.getLoc();
  const PaddingState &state = operands.of(op.getResult());
  if (!isPadded(state))
    return tensor::InsertSliceOp::create(
        builder, loc, operands.real(op.getSource(), loc), op.getDest(),
        op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  PaddingState source;
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  for (auto [dim, padded] : llvm::enumerate(state)) {
    if (padded)
      sizes[dim] = builder.getIndexAttr(padded->extent);
    if (!dropped[dim])
      source.push_back(padded);
  }
  return tensor::InsertSliceOp::create(
      builder, loc, operands.padded(op.getSource(), source, loc),
      operands.padded(op.getDest(), state, loc), op.getMixedOffsets(), sizes,
      op.getMixedStrides());
}

struct InsertSlicePadding
    : PaddingOpInterface::ExternalModel<InsertSlicePadding,
                                        tensor::InsertSliceOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    auto dest = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
    return dest && transfer.isSeenThrough(dest)
               ? insertAlongPadding(insert, transfer)
               : throughInsert(insert, transfer);
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return {padInsert(cast<tensor::InsertSliceOp>(op), operands)};
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    return transfer.realExtents(cast<tensor::InsertSliceOp>(op).getDest());
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    EntryCode code(reader, op->getLoc());
    SmallVector<Value> from;
    Value inside;
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    for (auto [dim, offset, size, stride] :
         llvm::enumerate(insert.getMixedOffsets(), insert.getMixedSizes(),
                         insert.getMixedStrides())) {
      // A position before the slice is a large unsigned number.
      Value distance =
          code.compute<arith::SubIOp>(at[dim], code.number(offset));
      Value position = distance;
      if (!isConstantIntValue(stride, 1)) {
        position = code.compute<arith::DivUIOp>(distance, code.number(stride));
        Value rest =
            code.compute<arith::RemUIOp>(distance, code.number(stride));
        inside = code.both(inside, code.compare(arith::CmpIPredicate::eq, rest,
                                                code.number(0)));
      }
      inside = code.both(inside, code.compare(arith::CmpIPredicate::ult,
                                              position, code.number(size)));
      if (!dropped[dim])
        from.push_back(position);
    }
    return code.readInside(insert.getSource(), from, inside,
                           reader.inPlace(insert.getDest()));
  }
};

} // namespace

void registerSlicePaddingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSlicePadding>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSlicePadding>(*context);
  });
}

} // namespace npu
