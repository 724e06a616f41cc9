// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is no view of a padded tensor, because real entries do not stay
// together, can still be read entry by entry: each entry of the result says at
// which real position of an operand it is found. That is a linalg.generic that
// reads by tensor.extract, and those are understood. Here it is decided which
// operations are to become one, and what is real of their results.

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

/// Of the result, null where it does not follow from the prompt length; none
/// for an operation that is not rewritten.
SmallVector<AffineExpr> PaddingAnalysis::extentsOf(Operation *op) const {
  auto exprs = [&](ArrayRef<OpFoldResult> sizes) {
    return llvm::map_to_vector(sizes,
                               [&](OpFoldResult size) { return exprOf(size); });
  };
  auto likeValue = [&](Value value) {
    // Of what is seen through nothing is known but what it is made from.
    while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
      if (!isSeenThrough(insert))
        break;
      value = insert.getDest();
    }
    SmallVector<AffineExpr> extents;
    for (int64_t dim = 0;
         dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim)
      extents.push_back(realExtent(value, dim));
    return extents;
  };
  if (isa<tensor::CollapseShapeOp>(op))
    return likeValue(op->getResult(0));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return exprs(expand.getMixedOutputShape());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<AffineExpr> extents;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(exprs(slice.getMixedSizes())))
      if (!dropped[dim])
        extents.push_back(size);
    return extents;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return likeValue(insert.getDest());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return likeValue(insert.getDest());
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    SmallVector<AffineExpr> extents = likeValue(pad.getSource());
    for (auto [extent, low, high] :
         llvm::zip(extents, exprs(pad.getMixedLowPad()),
                   exprs(pad.getMixedHighPad())))
      extent =
          extent && low && high ? simplify(low + extent + high) : AffineExpr();
    return extents;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    SmallVector<AffineExpr> extents = likeValue(concat.getInputs().front());
    AffineExpr &along = extents[concat.getDim()];
    for (Value input : concat.getInputs().drop_front()) {
      AffineExpr more = realExtent(input, concat.getDim());
      along = along && more ? simplify(along + more) : AffineExpr();
    }
    return extents;
  }
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    SmallVector<AffineExpr> extents = likeValue(generate.getResult());
    unsigned next = 0;
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (generate.getType().isDynamicDim(dim))
        extent = exprOf(generate.getDynamicExtents()[next++]);
    return extents;
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    SmallVector<AffineExpr> extents = likeValue(splat.getResult());
    unsigned next = 0;
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (splat.getType().isDynamicDim(dim))
        extent = exprOf(splat.getDynamicSizes()[next++]);
    return extents;
  }
  if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
    SmallVector<AffineExpr> extents = likeValue(gather.getIndices());
    extents.pop_back();
    SmallVector<AffineExpr> source = likeValue(gather.getSource());
    bool reduced = int64_t(extents.size() + source.size()) !=
                   gather.getResultType().getRank();
    for (auto [dim, extent] : llvm::enumerate(source)) {
      if (!llvm::is_contained(gather.getGatherDims(), int64_t(dim)))
        extents.push_back(extent);
      else if (!reduced)
        extents.push_back(constant(1));
    }
    return extents;
  }
  if (op->getNumRegions() == 0 && op->getNumResults() == 1 &&
      OpTrait::hasElementwiseMappableTraits(op))
    for (Value operand : op->getOperands())
      if (isPadded(of(operand)))
        return likeValue(operand);
  return {};
}

LogicalResult PaddingAnalysis::readByEntry(Operation *op, Refusal why) {
  // Where types say the length, what is read entry by entry would be as long
  // at every length.
  if (prompt.length || lengthOfTypes)
    return workOnRealPart(op, why);
  SmallVector<AffineExpr> extents = extentsOf(op);
  if (extents.empty())
    return workOnRealPart(op, why);
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (!extent) {
      why.rule += fmt::format("; how many entries dimension {} of its result "
                              "has is no known expression of the prompt length",
                              dim);
      return workOnRealPart(op, why);
    }
  if (MaybeRefused body = refuseBody(op))
    return workOnRealPart(op, *body);
  FailureOr<PaddingState> state = stateOf(op, extents);
  if (failed(state))
    return failure();
  setResult(op->getResult(0), std::move(*state));
  byEntry.push_back({op, std::move(extents), {}});
  return success();
}

/// "it reads '%x' along dimension 0, the prompt, at positions shifted by 1".
Refusal PaddingAnalysis::refuseRead(Value operand, unsigned dim,
                                    AffineExpr expr) const {
  const PaddingState &state = of(operand);
  std::string where = "at positions " + spell(expr);
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (sum && sum.getKind() == AffineExprKind::Add &&
      isa<AffineDimExpr>(sum.getLHS()))
    if (auto by = dyn_cast<AffineConstantExpr>(sum.getRHS()))
      where = fmt::format("at positions shifted by {}", by.getValue());
  if (isa<AffineConstantExpr>(expr))
    where = "at position " + spell(expr);
  bool padded = dim < state.size() && state[dim];
  return Refusal(
      fmt::format("it reads {{}} along dimension {}, {}, {}", dim,
                  padded
                      ? "of which " + spell(state[dim]->real) + " entries of " +
                            std::to_string(state[dim]->extent) + " are real"
                      : std::string("beside the prompt"),
                  where),
      operand);
}

LogicalResult PaddingAnalysis::readByEntry(linalg::LinalgOp op,
                                           ArrayRef<unsigned> operands,
                                           const Refusal &why) {
  llvm::SmallBitVector counted(op.getNumLoops());
  for (auto [number, map] : llvm::enumerate(op.getIndexingMapsArray()))
    if (!llvm::is_contained(operands, number))
      for (AffineExpr expr : map.getResults())
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          counted.set(loop.getPosition());
  // Loops must be as long as something, and results are not written so.
  bool isRewritten = !prompt.length && !lengthOfTypes && counted.all() &&
                     llvm::all_of(operands, [&](unsigned number) {
                       return number < op.getNumDpsInputs();
                     });
  if (!isRewritten)
    return workOnRealPart(op, why);
  byEntry.push_back({op, {}, SmallVector<unsigned>(operands)});
  return success();
}

} // namespace npu
