// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding seen through casts, reshapes, slices, pads and concatenations.

#include "npu/Analysis/PaddingAnalysis.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// What padding contains beside the real entries of other rows: of "NaN where
/// the real entries are", nothing is left.
PaddingContent besideOtherRows(const PaddingContent &content) {
  return content.kind == PaddingContent::Constant ? content : PaddingContent();
}

/// A dimension of which every entry is `inner` entries now; nothing where the
/// entries do not stay whole.
std::optional<PaddedDim> merged(const PaddedDim &dim, int64_t inner) {
  auto scaled = [&](AffineExpr expr) {
    return simplifyAffineExpr(expr * inner, 0, 1);
  };
  return PaddedDim{scaled(dim.real), scaled(dim.hole), dim.extent * inner,
                   inner == 1 ? dim.content : besideOtherRows(dim.content)};
}

std::optional<PaddedDim> divided(const PaddedDim &dim, int64_t inner) {
  auto divide = [&](AffineExpr expr) -> AffineExpr {
    AffineExpr rest = simplifyAffineExpr(expr % inner, 0, 1);
    auto number = dyn_cast<AffineConstantExpr>(rest);
    if (!number || number.getValue() != 0)
      return {};
    return simplifyAffineExpr(expr.floorDiv(inner), 0, 1);
  };
  AffineExpr real = divide(dim.real), hole = divide(dim.hole);
  if (!real || !hole || dim.extent % inner != 0)
    return std::nullopt;
  return PaddedDim{real, hole, dim.extent / inner,
                   inner == 1 ? dim.content : besideOtherRows(dim.content)};
}

/// Product of the extents of `dims`, all of which must be static.
std::optional<int64_t> product(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t result = 1;
  for (int64_t dim : dims) {
    if (type.isDynamicDim(dim))
      return std::nullopt;
    result *= type.getDimSize(dim);
  }
  return result;
}

/// The padded dimension of each group must be its outermost of extent other
/// than 1: what stands outside of it would repeat the padding.
std::optional<PaddingState>
throughCollapse(RankedTensorType type, ArrayRef<ReassociationIndices> groups,
                const PaddingState &state) {
  PaddingState result(groups.size());
  for (auto [number, group] : llvm::enumerate(groups))
    for (auto [position, dim] : llvm::enumerate(group)) {
      if (!state[dim])
        continue;
      ArrayRef<int64_t> dims(group);
      auto outer = product(type, dims.take_front(position));
      auto inner = product(type, dims.drop_front(position + 1));
      if (outer != 1 || !inner || result[number])
        return std::nullopt;
      // Of nothing there is no padding either.
      if (*inner != 0)
        result[number] = merged(*state[dim], *inner);
    }
  return result;
}

std::optional<PaddingState> throughExpand(RankedTensorType type,
                                          ArrayRef<ReassociationIndices> groups,
                                          const PaddingState &state) {
  PaddingState result(type.getRank());
  for (auto [number, group] : llvm::enumerate(groups)) {
    if (!state[number])
      continue;
    // The outermost dimension that is not 1 gets the padding.
    ArrayRef<int64_t> dims(group);
    size_t position = 0;
    while (position + 1 < dims.size() && type.getDimSize(dims[position]) == 1)
      ++position;
    auto inner = product(type, dims.drop_front(position + 1));
    if (!inner)
      return std::nullopt;
    result[dims[position]] = divided(*state[number], *inner);
    if (!result[dims[position]])
      return std::nullopt;
  }
  return result;
}

/// The padding that a tensor needs so that `source` goes into it with its own:
/// nothing where it is not inserted over the whole of a padded dimension.
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

bool isNumber(AffineExpr expr, int64_t value) {
  auto number = dyn_cast_or_null<AffineConstantExpr>(expr);
  return number && number.getValue() == value;
}

} // namespace

bool PaddingAnalysis::visitView(Operation *op) {
  if (isa<tensor::CastOp, DistributionCastOp, RedistributeOp>(op)) {
    if (!isa<RankedTensorType>(op->getResult(0).getType()))
      return false;
    setResult(op->getResult(0), of(op->getOperand(0)));
    return true;
  }
  if (auto cast = dyn_cast<PermuteCastOp>(op)) {
    const PaddingState &state = of(cast.getInput());
    PaddingState result;
    for (int64_t dim : getInputDimensions(cast))
      result.push_back(state[dim]);
    // A dimension of one entry may stand anywhere; one of 512 may not.
    RankedTensorType padded = paddedType(cast.getInput().getType(), state);
    if (!padded.hasStaticShape() ||
        !isTrivialMemPerm(
            permute(toExtents(padded.getShape()), getOrder(padded)),
            toExtents(cast.getMemPerm())))
      return false;
    setResult(cast, std::move(result));
    return true;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto state = throughCollapse(collapse.getSrcType(),
                                 collapse.getReassociationIndices(),
                                 of(collapse.getSrc()));
    if (!state)
      return seeThrough(collapse);
    setResult(collapse, std::move(*state));
    return true;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto state =
        throughExpand(expand.getResultType(), expand.getReassociationIndices(),
                      of(expand.getSrc()));
    if (state)
      setResult(expand, std::move(*state));
    return state.has_value();
  }
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    const PaddingState &state = of(extract.getSource());
    llvm::SmallBitVector dropped = extract.getDroppedDims();
    PaddingState result;
    for (int64_t dim = 0; dim < extract.getSourceType().getRank(); ++dim) {
      std::optional<PaddedDim> kept;
      if (state[dim]) {
        // All of the real entries, or (elsewhere) some that stand still.
        AffineExpr size = exprOf(extract.getMixedSizes()[dim]);
        if (dropped[dim] || size != state[dim]->real ||
            !isNumber(exprOf(extract.getMixedOffsets()[dim]), 0) ||
            !isNumber(exprOf(extract.getMixedStrides()[dim]), 1))
          return prompt.length ? false : sliceStandsStill(extract, dim);
        kept = state[dim];
      }
      if (!dropped[dim])
        result.push_back(kept);
    }
    setResult(extract, std::move(result));
    return true;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    PaddingState dest = of(insert.getDest());
    PaddingState source = of(insert.getSource());
    if (!isPadded(dest) && canBeMadeAgain(insert.getDest()))
      dest = aroundSource(insert, source);
    // Into a tensor that is not padded goes the real part.
    if (!isPadded(dest))
      return true;
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    unsigned from = 0;
    for (int64_t dim = 0; dim < insert.getDestType().getRank(); ++dim) {
      bool there = !dropped[dim] && from < source.size() && source[from];
      bool whole = isNumber(exprOf(insert.getMixedOffsets()[dim]), 0) &&
                   isNumber(exprOf(insert.getMixedStrides()[dim]), 1) &&
                   dest[dim] &&
                   exprOf(insert.getMixedSizes()[dim]) == dest[dim]->real;
      if (dest[dim] && (!whole || dropped[dim]))
        return visitInsertAlongPadding(insert);
      if (!dest[dim] && there)
        return false;
      from += !dropped[dim];
    }
    PaddingState result = dest;
    for (auto &dim : result)
      if (dim)
        dim->content = {};
    setResult(insert, std::move(result));
    return true;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    const PaddingState &state = of(pad.getSource());
    PaddingState result(pad.getResultType().getRank());
    for (auto [dim, padded] : llvm::enumerate(state)) {
      if (!padded)
        continue;
      auto low = dyn_cast_or_null<AffineConstantExpr>(
          exprOf(pad.getMixedLowPad()[dim]));
      auto high = dyn_cast_or_null<AffineConstantExpr>(
          exprOf(pad.getMixedHighPad()[dim]));
      if (!low || !high)
        return false;
      int64_t more = low.getValue() + high.getValue();
      if (more == 0) {
        result[dim] = padded;
        continue;
      }
      TypedAttr content;
      if (Value value = pad.getConstantPaddingValue())
        matchPattern(value, m_Constant(&content));
      if (!content || !(padded->endsInPadding() || padded->beginsWithPadding()))
        return false;
      AffineExpr real = simplify(padded->real + more);
      result[dim] =
          PaddedDim{real, padded->endsInPadding() ? real : constant(0),
                    padded->extent + more, content};
    }
    // What the operation adds in one dimension stands in the padding of the
    // others too.
    TypedAttr added;
    if (Value value = pad.getConstantPaddingValue())
      matchPattern(value, m_Constant(&added));
    for (auto &dim : result)
      if (dim && dim->content != PaddingContent(added))
        dim->content = {};
    setResult(pad, std::move(result));
    return true;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concatenate(concat, {SmallVector<Value>(concat.getInputs()),
                                int64_t(concat.getDim())});
  return false;
}

bool PaddingAnalysis::concatenate(Operation *op, const Concatenation &parts) {
  int64_t along = parts.along;
  PaddingState result(
      cast<RankedTensorType>(op->getResult(0).getType()).getRank());
  std::optional<PaddedDim> hole;
  AffineExpr before = constant(0);
  int64_t more = 0;
  for (Value input : parts.parts) {
    const PaddingState &state = of(input);
    for (auto [dim, padded] : llvm::enumerate(state))
      if (padded && int64_t(dim) != along)
        result[dim] = PaddedDim{padded->real, padded->hole, padded->extent, {}};
    AffineExpr real = realExtent(input, along);
    if (!real)
      return false;
    if (int64_t(state.size()) > along && state[along]) {
      if (hole)
        return false;
      hole = PaddedDim{constant(0), simplify(before + state[along]->hole),
                       state[along]->extent,
                       besideOtherRows(state[along]->content)};
    } else {
      more += cast<AffineConstantExpr>(real).getValue();
    }
    before = simplify(before + real);
  }
  if (hole) {
    hole->real = before;
    hole->extent += more;
    result[along] = hole;
  }
  setResult(op->getResult(0), std::move(result));
  concatenations[op] = parts;
  return true;
}

/// A number of entries at a place that follows the prompt (the last token, say)
/// is cut out of the real ones.
bool PaddingAnalysis::sliceStandsStill(tensor::ExtractSliceOp slice,
                                       int64_t padded) {
  const PaddingState &state = of(slice.getSource());
  const PaddedDim &dim = *state[padded];
  AffineExpr offset = exprOf(slice.getMixedOffsets()[padded]);
  AffineExpr size = exprOf(slice.getMixedSizes()[padded]);
  if (!offset || !isa_and_nonnull<AffineConstantExpr>(size) ||
      !isNumber(exprOf(slice.getMixedStrides()[padded]), 1) ||
      !(dim.endsInPadding() || dim.beginsWithPadding()))
    return false;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  PaddingState result;
  for (int64_t each = 0; each < slice.getSourceType().getRank(); ++each) {
    bool whole = state[each] && each != padded;
    if (whole && (exprOf(slice.getMixedSizes()[each]) != state[each]->real ||
                  !isNumber(exprOf(slice.getMixedOffsets()[each]), 0) ||
                  !isNumber(exprOf(slice.getMixedStrides()[each]), 1)))
      return false;
    if (!dropped[each])
      result.push_back(whole ? state[each] : std::nullopt);
  }
  setResult(slice, std::move(result));
  return true;
}

} // namespace npu
