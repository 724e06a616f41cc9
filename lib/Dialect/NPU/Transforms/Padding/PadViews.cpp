// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PadViews.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/AddedValue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

Value padSlice(tensor::ExtractSliceOp op, const PaddingAnalysis &analysis,
               PaddedValues &values, OpBuilder &builder) {
  Value source = values.padded(op.getSource(), op.getLoc());
  const PaddingState &state = analysis.of(op.getSource());
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes();
  const PaddingState &after = analysis.of(op.getResult());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned to = 0;
  for (auto [dim, padded] : llvm::enumerate(state)) {
    unsigned kept = dropped[dim] ? after.size() : to++;
    if (!padded)
      continue;
    // All real entries, or all but some at the ends, with the padding: as many
    // entries of a tensor that has them where it had them.
    if (kept < after.size() && after[kept]) {
      sizes[dim] = builder.getIndexAttr(after[kept]->extent);
      continue;
    }
    AffineExpr offset = analysis.exprOf(offsets[dim]);
    AffineExpr before = padded->extent - padded->real;
    offsets[dim] = values.sizeOf(simplifyAffineExpr(
        padded->endsInPadding() ? offset : offset + before, 0, 1));
  }
  RankedTensorType type =
      paddedType(op.getResultType(), analysis.of(op.getResult()));
  return tensor::ExtractSliceOp::create(builder, op.getLoc(), type, source,
                                        offsets, sizes, op.getMixedStrides());
}

Value padInsert(tensor::InsertSliceOp op, const PaddingAnalysis &analysis,
                PaddedValues &values, OpBuilder &builder) {
  Location loc = op.getLoc();
  const PaddingState &state = analysis.of(op.getResult());
  if (!isPadded(state))
    return tensor::InsertSliceOp::create(
        builder, loc, values.real(op.getSource(), loc), op.getDest(),
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
      builder, loc, values.padded(op.getSource(), source, loc),
      values.padded(op.getDest(), state, loc), op.getMixedOffsets(), sizes,
      op.getMixedStrides());
}

/// What the operation adds stands beside the last real entries; from there on
/// all is the added value.
Value padPad(tensor::PadOp op, const PaddingAnalysis &analysis,
             PaddedValues &values, OpBuilder &builder) {
  Location loc = op.getLoc();
  const PaddingState &state = analysis.of(op.getSource());
  const PaddingState &after = analysis.of(op.getResult());
  RankedTensorType type = paddedType(op.getResultType(), after);
  Value added = addedValue(builder, op);
  // Upstream would fold a pad that cuts away in front as much as it adds
  // behind.
  bool cutsAway =
      llvm::any_of(op.getStaticLow(), [](int64_t low) { return low < 0; }) ||
      llvm::any_of(op.getStaticHigh(), [](int64_t high) { return high < 0; });
  auto larger = tensor::PadOp::create(builder, loc, type,
                                      values.padded(op.getSource(), loc),
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
          AffineExpr low = analysis.exprOf(op.getMixedLowPad()[dim]);
          Value position = linalg::IndexOp::create(body, loc, dim);
          bool right = padded.endsInPadding();
          AffineExpr bound =
              right ? padded.real + low : padded.extent - padded.real + low;
          Value real = arith::CmpIOp::create(
              body, loc,
              right ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
              position, values.valueOf(simplifyAffineExpr(bound, 0, 1)));
          result = arith::SelectOp::create(body, loc, real, result, added);
        }
        linalg::YieldOp::create(body, loc, result);
      });
  return generic.getResult(0);
}

Value padConcatenation(Operation *op, const Concatenation &whole,
                       const PaddingAnalysis &analysis, PaddedValues &values,
                       OpBuilder &builder) {
  Location loc = op->getLoc();
  const PaddingState &state = analysis.of(op->getResult(0));
  SmallVector<Value> parts;
  for (Value part : whole.parts) {
    PaddingState wanted = analysis.of(part);
    wanted.resize(state.size());
    for (int64_t dim = 0; dim < int64_t(state.size()); ++dim)
      if (dim != whole.along)
        wanted[dim] = state[dim];
    parts.push_back(values.padded(part, wanted, loc));
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto concat = tensor::ConcatOp::create(builder, loc, paddedType(type, state),
                                         whole.along, parts);
  concat->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return concat;
}

/// The shape of an expanded tensor from that of what was collapsed: both have
/// the same extents other than 1.
Value moveOnes(Value source, RankedTensorType type, Location loc,
               OpBuilder &builder) {
  auto from = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape = llvm::filter_to_vector(
      from.getShape(), [](int64_t extent) { return extent != 1; });
  auto without = RankedTensorType::get(shape, type.getElementType());
  Value collapsed = source;
  if (without.getRank() != from.getRank())
    collapsed = tensor::CollapseShapeOp::create(
        builder, loc, without, source,
        *getReassociationIndicesForCollapse(from.getShape(), shape));
  if (without.getRank() == type.getRank())
    return collapsed;
  return tensor::ExpandShapeOp::create(
      builder, loc, type, collapsed,
      *getReassociationIndicesForCollapse(type.getShape(), shape));
}

/// The operation itself on padded operands, and its results.
ResultRange padAsItIs(Operation *op, const PaddingAnalysis &analysis,
                      PaddedValues &values, OpBuilder &builder) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(paddedType(cast<RankedTensorType>(result.getType()),
                               analysis.of(result)));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    PaddingState wanted = analysis.of(operand);
    if (OpTrait::hasElementwiseMappableTraits(op) || isa<linalg::SoftmaxOp>(op))
      wanted = analysis.of(op->getResult(0));
    operands.push_back(values.padded(operand, wanted, op->getLoc()));
  }
  return clone(builder, op, types, operands)->getResults();
}

/// All other operations have one result.
Value padOne(Operation *op, const PaddingAnalysis &analysis,
             PaddedValues &values, OpBuilder &builder) {
  Location loc = op->getLoc();
  if (const Concatenation *whole = analysis.concatenationBy(op))
    return padConcatenation(op, *whole, analysis, values, builder);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (slice)
    return padSlice(slice, analysis, values, builder);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return padInsert(insert, analysis, values, builder);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return padPad(pad, analysis, values, builder);
  const PaddingState &state = analysis.of(op->getResult(0));
  RankedTensorType type =
      paddedType(cast<RankedTensorType>(op->getResult(0).getType()), state);
  if (isa<tensor::EmptyOp>(op))
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType(), type.getEncoding());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tensor::CollapseShapeOp::create(
        builder, loc, type, values.padded(collapse.getSrc(), loc),
        collapse.getReassociationIndices());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    if (!isPadded(analysis.of(expand.getSrc())))
      return moveOnes(
          values.padded(
              expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>().getSrc(),
              loc),
          type, loc, builder);
    return tensor::ExpandShapeOp::create(builder, loc, type,
                                         values.padded(expand.getSrc(), loc),
                                         expand.getReassociationIndices());
  }
  if (isa<tensor::CastOp, DistributionCastOp>(op)) {
    Value source = values.padded(op->getOperand(0), loc);
    if (isa<tensor::CastOp>(op) && source.getType() == type)
      return source;
    // Splits of the longer tensors need not have what those of the others had.
    if (isa<DistributionCastOp>(op) &&
        relate(cast<RankedTensorType>(source.getType()), type) ==
            Relation::DataMoves)
      return RedistributeOp::create(builder, loc, type, source);
  }
  return padAsItIs(op, analysis, values, builder)[0];
}

} // namespace

SmallVector<Value> padView(Operation *op, const PaddingAnalysis &analysis,
                           PaddedValues &values, OpBuilder &builder) {
  if (op->getNumResults() == 1)
    return {padOne(op, analysis, values, builder)};
  return llvm::to_vector_of<Value>(padAsItIs(op, analysis, values, builder));
}

} // namespace npu
