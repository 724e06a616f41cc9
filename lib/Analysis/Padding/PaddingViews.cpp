// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding seen through casts, reshapes, slices, pads and concatenations.

#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

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
MaybeRefused throughCollapse(tensor::CollapseShapeOp op,
                             const PaddingState &state, PaddingState &result) {
  RankedTensorType type = op.getSrcType();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  result.assign(groups.size(), std::nullopt);
  for (auto [number, group] : llvm::enumerate(groups))
    for (auto [position, dim] : llvm::enumerate(group)) {
      if (!state[dim])
        continue;
      ArrayRef<int64_t> dims(group);
      auto outer = product(type, dims.take_front(position));
      auto inner = product(type, dims.drop_front(position + 1));
      if (!inner || result[number])
        return Refusal(fmt::format("it merges dimension {} of {{}} with others "
                                   "that are as long as the prompt",
                                   dim),
                       op.getSrc());
      if (outer != 1)
        return Refusal(
            fmt::format("it merges dimension {} of {{}}, the prompt, into {} "
                        "outside of it: what is outside of the prompt would "
                        "repeat its padding",
                        dim, outer ? std::to_string(*outer) : "others"),
            op.getSrc());
      // Of nothing there is no padding either.
      if (*inner != 0)
        result[number] = merged(*state[dim], *inner);
    }
  return std::nullopt;
}

MaybeRefused throughExpand(tensor::ExpandShapeOp op, const PaddingState &state,
                           PaddingState &result) {
  RankedTensorType type = op.getResultType();
  result.assign(type.getRank(), std::nullopt);
  for (auto [number, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (!state[number])
      continue;
    // The outermost dimension that is not 1 gets the padding.
    ArrayRef<int64_t> dims(group);
    size_t position = 0;
    while (position + 1 < dims.size() && type.getDimSize(dims[position]) == 1)
      ++position;
    auto inner = product(type, dims.drop_front(position + 1));
    if (inner && *inner != 0)
      result[dims[position]] = divided(*state[number], *inner);
    if (!result[dims[position]])
      return Refusal(
          fmt::format("it splits dimension {} of {{}}, {} real entries of {}, "
                      "into parts of {} that the padding would cut",
                      number, spell(state[number]->real), state[number]->extent,
                      inner ? std::to_string(*inner)
                            : "as many as the prompt has"),
          op.getSrc());
  }
  return std::nullopt;
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

MaybeRefused PaddingAnalysis::visitView(Operation *op) {
  if (isa<tensor::CastOp, DistributionCastOp, RedistributeOp>(op)) {
    if (!isa<RankedTensorType>(op->getResult(0).getType()))
      return Refusal("its result has no rank");
    setResult(op->getResult(0), of(op->getOperand(0)));
    return std::nullopt;
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
      return Refusal("with padding, {} would have to move for it",
                     cast.getInput());
    setResult(cast, std::move(result));
    return std::nullopt;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    PaddingState state;
    MaybeRefused why = throughCollapse(collapse, of(collapse.getSrc()), state);
    if (why && !seeThrough(collapse))
      return why;
    if (!why)
      setResult(collapse, std::move(state));
    return std::nullopt;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    PaddingState state;
    MaybeRefused why = throughExpand(expand, of(expand.getSrc()), state);
    if (!why)
      setResult(expand, std::move(state));
    return why;
  }
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return visitExtractSlice(extract);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return visitInsertSlice(insert);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return visitPad(pad);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concatenate(concat, {SmallVector<Value>(concat.getInputs()),
                                int64_t(concat.getDim())});
  return Refusal("it is not known what it does with padding, and it reads {}");
}

MaybeRefused PaddingAnalysis::visitInsertSlice(tensor::InsertSliceOp insert) {
  PaddingState dest = of(insert.getDest());
  PaddingState source = of(insert.getSource());
  if (!isPadded(dest) && canBeMadeAgain(insert.getDest()))
    dest = aroundSource(insert, source);
  // Into a tensor that is not padded goes the real part.
  if (!isPadded(dest))
    return std::nullopt;
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
  setResult(insert, std::move(result));
  return std::nullopt;
}

MaybeRefused PaddingAnalysis::visitPad(tensor::PadOp pad) {
  const PaddingState &state = of(pad.getSource());
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
    auto low =
        dyn_cast_or_null<AffineConstantExpr>(exprOf(pad.getMixedLowPad()[dim]));
    auto high = dyn_cast_or_null<AffineConstantExpr>(
        exprOf(pad.getMixedHighPad()[dim]));
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
    AffineExpr real = simplify(padded->real + more);
    result[dim] = PaddedDim{real, padded->endsInPadding() ? real : constant(0),
                            padded->extent + more, added};
  }
  // What the operation adds in one dimension stands in the padding of the
  // others too.
  for (auto &dim : result)
    if (dim && dim->content != PaddingContent(added))
      dim->content = {};
  setResult(pad, std::move(result));
  return std::nullopt;
}

MaybeRefused PaddingAnalysis::concatenate(Operation *op,
                                          const Concatenation &parts) {
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
      return Refusal(fmt::format("how many entries {{}} has along dimension {} "
                                 "does not follow from the prompt length",
                                 along),
                     input);
    if (int64_t(state.size()) > along && state[along]) {
      if (hole)
        return Refusal(fmt::format("{{}} is the second part with padding along "
                                   "dimension {}; expected one hole",
                                   along),
                       input);
      hole = PaddedDim{constant(0), simplify(before + state[along]->hole),
                       state[along]->extent,
                       besideOtherRows(state[along]->content)};
    } else if (auto number = dyn_cast<AffineConstantExpr>(real)) {
      more += number.getValue();
    } else {
      return Refusal(fmt::format("{{}} has {} entries along dimension {}, and "
                                 "no padding",
                                 spell(real), along),
                     input);
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
  return std::nullopt;
}

} // namespace npu
