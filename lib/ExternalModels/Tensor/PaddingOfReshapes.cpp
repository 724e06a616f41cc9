// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of PaddingOpInterface for reshapes: the padded dimension of a group
// has to be its outermost. Upstream's lowering of TOSA reshapes dynamic shapes
// through one flat dimension; such a pair is seen through.

#include "../Models.h"
#include "EntryCode.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The padding of a dimension each of whose entries becomes `inner` entries;
/// nothing where entries would be divided.
std::optional<PaddedDim> merged(const PaddedDim &dim, int64_t inner) {
  auto scaled = [&](AffineExpr expr) { return simplified(expr * inner); };
  return PaddedDim{scaled(dim.real), scaled(dim.hole), dim.extent * inner,
                   inner == 1 ? dim.content : besideOtherRows(dim.content)};
}

std::optional<PaddedDim> divided(const PaddedDim &dim, int64_t inner) {
  auto divide = [&](AffineExpr expr) -> AffineExpr {
    AffineExpr rest = simplified(expr % inner);
    auto number = dyn_cast<AffineConstantExpr>(rest);
    if (!number || number.getValue() != 0)
      return {};
    return simplified(expr.floorDiv(inner));
  };
  AffineExpr real = divide(dim.real), hole = divide(dim.hole);
  if (!real || !hole || dim.extent % inner != 0)
    return std::nullopt;
  return PaddedDim{real, hole, dim.extent / inner,
                   inner == 1 ? dim.content : besideOtherRows(dim.content)};
}

/// The product of the extents of `dims`; nothing where one of them is dynamic.
std::optional<int64_t> product(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t result = 1;
  for (int64_t dim : dims) {
    if (type.isDynamicDim(dim))
      return std::nullopt;
    result *= type.getDimSize(dim);
  }
  return result;
}

/// The padding of a collapse_shape. The padded dimension of each group must be
/// the outermost of extent other than 1: a dimension outside of it would repeat
/// the padding.
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
      // A tensor without entries has no padding.
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
    // The outermost dimension whose extent is not 1 gets the padding.
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

/// Whether no padded tensor is needed for a collapse_shape in which a dimension
/// outside of the prompt would repeat the padding: its users want its extents,
/// or are reshapes that undo it.
bool canBeSeenThrough(tensor::CollapseShapeOp collapse) {
  // A layout would have to be that of the replaced pair.
  return !collapse.getSrcType().getEncoding() &&
         llvm::all_of(collapse->getUsers(), [](Operation *user) {
           auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
           return isa<tensor::DimOp>(user) ||
                  (expand && !expand.getResultType().getEncoding());
         });
}

/// The padding of an expand_shape of a collapse_shape that together move only
/// dimensions of extent 1.
MaybeRefused throughBoth(tensor::CollapseShapeOp seen,
                         tensor::ExpandShapeOp expand,
                         PaddingTransfer &transfer) {
  const PaddingState &state = transfer.of(seen.getSrc());
  // Compare the extents other than 1, with the dimensions that have them. A
  // prompt that is known to have one entry counts before, and is missing
  // after, so that it is refused.
  SmallVector<AffineExpr> before, after;
  SmallVector<int64_t> from, to;
  for (int64_t dim = 0; dim < seen.getSrcType().getRank(); ++dim)
    if (AffineExpr extent = transfer.realExtent(seen.getSrc(), dim);
        state[dim] || !isNumber(extent, 1)) {
      before.push_back(extent);
      from.push_back(dim);
    }
  for (auto [dim, size] : llvm::enumerate(expand.getMixedOutputShape()))
    if (AffineExpr extent = transfer.exprOf(size); !isNumber(extent, 1)) {
      after.push_back(extent);
      to.push_back(int64_t(dim));
    }
  if (llvm::is_contained(before, AffineExpr()) || before != after) {
    auto spelled = [](ArrayRef<AffineExpr> extents) {
      std::string text;
      for (AffineExpr extent : extents)
        text += (text.empty() ? "" : " x ") + (extent ? spell(extent) : "?");
      return text;
    };
    Refusal refusal(fmt::format("what is outside of the prompt would repeat "
                                "its padding, and of {{}} the reshape makes "
                                "{} of {}",
                                spelled(after), spelled(before)),
                    seen.getSrc());
    refusal.seenThrough = seen;
    return refusal;
  }
  PaddingState result(expand.getResultType().getRank());
  for (auto [before, after] : llvm::zip(from, to))
    result[after] = state[before];
  transfer.setResult(expand, std::move(result));
  return std::nullopt;
}

/// Reshapes `source` to `type`: both have the same extents other than 1.
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

/// The product of two expressions, if it is an expression of the prompt length;
/// else null.
AffineExpr times(AffineExpr a, AffineExpr b) {
  if (!a || !b || !(isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b)))
    return {};
  return simplified(a * b);
}

struct CollapsePadding
    : PaddingOpInterface::ExternalModel<CollapsePadding,
                                        tensor::CollapseShapeOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    PaddingState state;
    MaybeRefused why =
        throughCollapse(collapse, transfer.of(collapse.getSrc()), state);
    if (!why)
      transfer.setResult(collapse, std::move(state));
    else if (canBeSeenThrough(collapse))
      transfer.seeThrough(collapse);
    else
      return why;
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    return {tensor::CollapseShapeOp::create(
        operands.getBuilder(), op->getLoc(),
        operands.paddedType(collapse.getResult()),
        operands.padded(collapse.getSrc(), op->getLoc()),
        collapse.getReassociationIndices())};
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    SmallVector<AffineExpr> extents;
    for (auto [dim, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      AffineExpr extent = getAffineConstantExpr(1, op->getContext());
      for (int64_t each : group)
        extent = times(extent, transfer.realExtent(collapse.getSrc(), each));
      if (RankedTensorType type = collapse.getResultType();
          !type.isDynamicDim(dim))
        extent = getAffineConstantExpr(type.getDimSize(dim), op->getContext());
      extents.push_back(extent);
    }
    return extents;
  }

  /// Computes the positions in the dimensions of a group from the one in the
  /// merged dimension.
  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    EntryCode code(reader, op->getLoc());
    SmallVector<Value> from(collapse.getSrcType().getRank());
    for (auto [number, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      Value rest = at[number];
      for (int64_t dim : llvm::reverse(ArrayRef(group).drop_front())) {
        Value size = reader.extentOf(collapse.getSrc(), dim);
        from[dim] = code.compute<arith::RemUIOp>(rest, size);
        rest = code.compute<arith::DivUIOp>(rest, size);
      }
      from[group.front()] = rest;
    }
    // A collapse to rank 0 reads position 0 in every dimension.
    for (Value &position : from)
      if (!position)
        position = code.number(0);
    return code.read(collapse.getSrc(), from);
  }
};

struct ExpandPadding
    : PaddingOpInterface::ExternalModel<ExpandPadding, tensor::ExpandShapeOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    auto seen = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (seen && transfer.isSeenThrough(seen))
      return throughBoth(seen, expand, transfer);
    PaddingState state;
    MaybeRefused why =
        throughExpand(expand, transfer.of(expand.getSrc()), state);
    if (!why)
      transfer.setResult(expand, std::move(state));
    return why;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    Location loc = op->getLoc();
    RankedTensorType type = operands.paddedType(expand.getResult());
    auto seen = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (seen && !isPadded(operands.of(expand.getSrc())))
      return {moveOnes(operands.padded(seen.getSrc(), loc), type, loc,
                       operands.getBuilder())};
    return {tensor::ExpandShapeOp::create(operands.getBuilder(), loc, type,
                                          operands.padded(expand.getSrc(), loc),
                                          expand.getReassociationIndices())};
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    return transfer.exprsOf(
        cast<tensor::ExpandShapeOp>(op).getMixedOutputShape());
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    EntryCode code(reader, op->getLoc());
    SmallVector<Value> from;
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      Value position = at[group.front()];
      for (int64_t dim : ArrayRef(group).drop_front())
        position = code.compute<arith::AddIOp>(
            code.compute<arith::MulIOp>(position, code.number(sizes[dim])),
            at[dim]);
      from.push_back(position);
    }
    return code.read(expand.getSrc(), from);
  }
};

} // namespace

void registerReshapePaddingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::CollapseShapeOp::attachInterface<CollapsePadding>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandPadding>(*context);
  });
}

} // namespace npu
