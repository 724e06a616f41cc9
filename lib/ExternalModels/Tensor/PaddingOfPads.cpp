// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of PaddingOpInterface for operations that add entries beside the real
// ones: pads and concatenations.

#include "../Models.h"
#include "EntryCode.h"
#include "npu/ExternalModels/Tensor/AddedValue.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

MaybeRefused throughPad(tensor::PadOp pad, PaddingTransfer &transfer) {
  const PaddingState &state = transfer.of(pad.getSource());
  PaddingState result(pad.getResultType().getRank());
  TypedAttr added;
  if (Value value = pad.getConstantPaddingValue())
    matchPattern(value, m_Constant(&added));
  else
    return Refusal("what it adds to {} is computed from positions",
                   pad.getSource());
  for (auto [dim, padded] : llvm::enumerate(state)) {
    if (!padded)
      continue;
    auto low = dyn_cast_or_null<AffineConstantExpr>(
        transfer.exprOf(pad.getMixedLowPad()[dim]));
    auto high = dyn_cast_or_null<AffineConstantExpr>(
        transfer.exprOf(pad.getMixedHighPad()[dim]));
    if (!low || !high)
      return Refusal(fmt::format("how many entries it adds to dimension {} of "
                                 "{{}} is no constant",
                                 dim),
                     pad.getSource());
    int64_t more = low.getValue() + high.getValue();
    if (more == 0 && low.getValue() == 0) {
      result[dim] = padded;
      continue;
    }
    if (!added)
      return Refusal(fmt::format("what it adds to dimension {} of {{}} is no "
                                 "constant",
                                 dim),
                     pad.getSource());
    if (low.getValue() < 0 || high.getValue() < 0 ||
        !(padded->endsInPadding() || padded->beginsWithPadding()))
      return Refusal(
          fmt::format("it adds {} and {} entries to dimension {} of {{}}, "
                      "which has {}; expected none to be taken away, and "
                      "padding at one end",
                      low.getValue(), high.getValue(), dim, toString({padded})),
          pad.getSource());
    AffineExpr real = simplified(padded->real + more);
    result[dim] = PaddedDim{real,
                            padded->endsInPadding()
                                ? real
                                : getAffineConstantExpr(0, pad.getContext()),
                            padded->extent + more, added};
  }
  // Entries that the operation adds in one dimension also stand in the padding
  // of the other dimensions.
  for (auto &dim : result)
    if (dim && dim->content != PaddingContent(added))
      dim->content = {};
  transfer.setResult(pad, std::move(result));
  return std::nullopt;
}

/// Rewrites a pad: the added entries follow the last real entries, and all
/// further entries have the added value too.
Value padPad(tensor::PadOp op, PaddedOperands &operands) {
  OpBuilder &builder = operands.getBuilder();
  Location loc = op.getLoc();
  const PaddingState &state = operands.of(op.getSource());
  const PaddingState &after = operands.of(op.getResult());
  RankedTensorType type = operands.paddedType(op.getResult());
  Value added = addedValue(builder, op);
  // Upstream would fold a pad that cuts off as many entries in front as it adds
  // after, although that is not the identity.
  bool cutsAway =
      llvm::any_of(op.getStaticLow(), [](int64_t low) { return low < 0; }) ||
      llvm::any_of(op.getStaticHigh(), [](int64_t high) { return high < 0; });
  auto larger = tensor::PadOp::create(builder, loc, type,
                                      operands.padded(op.getSource(), loc),
                                      op.getMixedLowPad(), op.getMixedHighPad(),
                                      added, cutsAway || op.getNofold());
  SmallVector<unsigned> grown;
  for (auto [dim, padded] : llvm::enumerate(state))
    if (padded && after[dim]->extent != padded->extent)
      grown.push_back(dim);
  if (grown.empty())
    return larger;
  Value empty = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, ValueRange{larger}, ValueRange{empty},
      ArrayRef<AffineMap>{map, map}, kinds,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value result = arguments[0];
        for (unsigned dim : grown) {
          const PaddedDim &padded = *state[dim];
          AffineExpr low = operands.exprOf(op.getMixedLowPad()[dim]);
          Value position = linalg::IndexOp::create(body, loc, dim);
          bool right = padded.endsInPadding();
          AffineExpr bound =
              right ? padded.real + low : padded.extent - padded.real + low;
          Value real = arith::CmpIOp::create(
              body, loc,
              right ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
              position, operands.valueOf(simplified(bound)));
          result = arith::SelectOp::create(body, loc, real, result, added);
        }
        linalg::YieldOp::create(body, loc, result);
      });
  return generic.getResult(0);
}

struct PadPadding
    : PaddingOpInterface::ExternalModel<PadPadding, tensor::PadOp> {
  bool makesEntries(Operation *) const { return true; }

  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    if (transfer.followsPrompt(op))
      return Refusal("it is made of as many entries as the prompt has");
    return throughPad(cast<tensor::PadOp>(op), transfer);
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return {padPad(cast<tensor::PadOp>(op), operands)};
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto pad = cast<tensor::PadOp>(op);
    SmallVector<AffineExpr> extents = transfer.realExtents(pad.getSource());
    for (auto [extent, low, high] :
         llvm::zip(extents, transfer.exprsOf(pad.getMixedLowPad()),
                   transfer.exprsOf(pad.getMixedHighPad())))
      extent = extent && low && high ? simplified(low + extent + high)
                                     : AffineExpr();
    return extents;
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto pad = cast<tensor::PadOp>(op);
    EntryCode code(reader, op->getLoc());
    SmallVector<Value> from;
    Value inside;
    for (auto [dim, low, high] :
         llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad())) {
      from.push_back(at[dim]);
      if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0))
        continue;
      if (!isConstantIntValue(low, 0))
        from.back() = code.compute<arith::SubIOp>(at[dim], code.number(low));
      inside = code.both(
          inside, code.compare(arith::CmpIPredicate::ult, from.back(),
                               reader.extentOf(pad.getSource(),
                                               static_cast<int64_t>(dim))));
    }
    return code.readInside(pad.getSource(), from, inside,
                           code.copyBlock(pad.getRegion().front(), at));
  }
};

/// The value for positions that are in no part, which do not occur.
Value zero(tensor::ConcatOp concat, EntryReader &reader) {
  OpBuilder &builder = reader.getBuilder();
  return arith::ConstantOp::create(
      builder, concat.getLoc(),
      builder.getZeroAttr(concat.getResultType().getElementType()));
}

struct ConcatPadding
    : PaddingOpInterface::ExternalModel<ConcatPadding, tensor::ConcatOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto concat = cast<tensor::ConcatOp>(op);
    return transfer.concatenate(
        op, {SmallVector<Value>(concat.getInputs()), int64_t(concat.getDim())});
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto concat = cast<tensor::ConcatOp>(op);
    SmallVector<AffineExpr> extents =
        transfer.realExtents(concat.getInputs().front());
    auto dim = static_cast<int64_t>(concat.getDim());
    AffineExpr &along = extents[dim];
    for (Value input : concat.getInputs().drop_front()) {
      AffineExpr more = transfer.realExtent(input, dim);
      along = along && more ? simplified(along + more) : AffineExpr();
    }
    return extents;
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto concat = cast<tensor::ConcatOp>(op);
    EntryCode code(reader, op->getLoc());
    unsigned along = concat.getDim();
    SmallVector<Value> begins;
    Value end = code.number(0);
    for (Value input : concat.getInputs()) {
      begins.push_back(end);
      end = code.compute<arith::AddIOp>(end, reader.extentOf(input, along));
    }
    Value result;
    for (auto [input, begin] :
         llvm::reverse(llvm::zip_equal(concat.getInputs(), begins))) {
      SmallVector<Value> from(at);
      from[along] = code.compute<arith::SubIOp>(at[along], begin);
      // A position before the part is a large unsigned number, so that one
      // comparison tests both ends.
      Value inside = code.compare(arith::CmpIPredicate::ult, from[along],
                                  reader.extentOf(input, along));
      result = result
                   ? code.readInside(input, from, inside, result)
                   : code.readInside(input, from, inside, zero(concat, reader));
    }
    return result;
  }
};

} // namespace

void registerPadPaddingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::PadOp::attachInterface<PadPadding>(*context);
    tensor::ConcatOp::attachInterface<ConcatPadding>(*context);
  });
}

} // namespace npu
