// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and positions seen through slices, reshapes and concatenations; the
// update of a cache.

#include "npu/Analysis/Causality/Causality.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace npu {

bool Causality::isWhole(Value source, int64_t dim, OpFoldResult offset,
                        OpFoldResult size, OpFoldResult stride) const {
  if (!isConstantIntValue(offset, 0) || !isConstantIntValue(stride, 1))
    return false;
  auto type = cast<RankedTensorType>(source.getType());
  if (type.isDynamicDim(dim))
    return of(source).row == dim && isLength(size);
  return isConstantIntValue(size, type.getDimSize(dim));
}

LogicalResult Causality::visitExtract(tensor::ExtractSliceOp op) {
  const Dependence &source = of(op.getSource());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Dependence result;
  result.last = source.last;
  int64_t next = 0;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    OpFoldResult offset = op.getMixedOffsets()[dim];
    OpFoldResult size = op.getMixedSizes()[dim];
    OpFoldResult stride = op.getMixedStrides()[dim];
    bool whole = isWhole(op.getSource(), dim, offset, size, stride);
    bool one = isConstantIntValue(stride, 1);
    AffineExpr begin = exprOf(offset);
    if (source.row == dim) {
      AffineExpr lastRow = getAffineSymbolExpr(1, context) - 1;
      if (whole)
        result.row = next;
      else if (begin == lastRow && isConstantIntValue(size, 1))
        result.last = true;
      else
        return refuse(op, "it takes rows that are neither all of the chunk's "
                          "nor the prompt's last one");
    } else if (source.position == dim) {
      if (!whole)
        return refuse(op, "it takes a part of the positions");
      result.position = next;
    } else if (isOffset(offset) && isLength(size) && one && !source.row &&
               !source.last && !result.row) {
      // A table with an entry for each position.
      result.row = next;
    } else if (!begin || !isSame(begin, std::nullopt, source.last) ||
               !getConstantIntValue(size) || !getConstantIntValue(stride)) {
      return refuse(op, "what it takes along dimension " + Twine(dim) +
                            " differs in every chunk");
    }
    next += !dropped[dim];
  }
  if (result.last) {
    if (result.row)
      return refuse(op, "rows follow from the prompt's last rows");
    result.position = std::nullopt;
  }
  dependences[op.getResult()] = result;
  passFactsOn(op.getSource(), op.getResult());
  return success();
}

LogicalResult Causality::visitInsert(tensor::InsertSliceOp op) {
  const Dependence &source = of(op.getSource()), &dest = of(op.getDest());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  bool cache = dest.cache.has_value();
  if (source.last || dest.last || source.position || (cache && !source.row) ||
      (dest.position && !cache) || source.updated == false)
    return refuse(op, "it is not known what it does with the prompt's rows; "
                      "expected the chunk's rows to go into a cache");
  if (cache && !updated.insert(*dest.cache).second)
    return refuse(op, "the cache of argument #" + Twine(*dest.cache) +
                          " is updated twice, and the next chunk would find "
                          "one update alone");
  int64_t from = 0;
  Dependence result = dest;
  for (int64_t dim = 0; dim < op.getDestType().getRank(); ++dim) {
    OpFoldResult offset = op.getMixedOffsets()[dim];
    OpFoldResult size = op.getMixedSizes()[dim];
    OpFoldResult stride = op.getMixedStrides()[dim];
    bool row = !dropped[dim] && source.row == from;
    if (cache && dest.position == dim) {
      if (!row || !isOffset(offset) || !isLength(size) ||
          !isConstantIntValue(stride, 1))
        return refuse(op, "expected the chunk's rows, all of them, to go into "
                          "the cache at the offset");
    } else if (row) {
      // Beside other columns of the same rows.
      if (dest.row != dim || !isWhole(op.getDest(), dim, offset, size, stride))
        return refuse(op, "it puts rows of the prompt elsewhere");
    } else if (cache) {
      if (!isWhole(op.getDest(), dim, offset, size, stride))
        return refuse(op, "expected the whole of dimension " + Twine(dim) +
                              " of the cache to be written");
    } else if (dest.row == dim || !getConstantIntValue(offset) ||
               !getConstantIntValue(size) || !getConstantIntValue(stride)) {
      return refuse(op, "what it writes along dimension " + Twine(dim) +
                            " differs in every chunk");
    }
    from += !dropped[dim];
  }
  dependences[op.getResult()] = result;
  joinFacts({op.getSource(), op.getDest()}, op.getResult());
  if (!cache)
    return success();
  dependences[op.getResult()].updated = true;
  // Behind a row, in one run what the prompt's later rows have put there.
  for (Assuming assuming : {Assuming::Nothing, Assuming::Finite}) {
    EntryFacts &held = facts[op.getResult()][unsigned(assuming)];
    held.behind = PairFact::sides(held.visible, held.visible);
  }
  return success();
}

LogicalResult Causality::visitReshape(Operation *op, Value source,
                                      bool expands) {
  const Dependence &dependence = of(source);
  auto sourceType = cast<RankedTensorType>(source.getType());
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<ReassociationIndices> groups =
      expands ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
              : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  RankedTensorType larger = expands ? resultType : sourceType;
  /// Where a dimension goes: nowhere if its entries do not stay apart.
  auto through = [&](int64_t dim) -> std::optional<int64_t> {
    for (auto [number, group] : llvm::enumerate(groups)) {
      bool here =
          expands ? int64_t(number) == dim : llvm::is_contained(group, dim);
      if (!here)
        continue;
      std::optional<int64_t> kept;
      for (int64_t each : group)
        if (expands ? larger.getDimSize(each) != 1 : each != dim) {
          if (!expands && larger.getDimSize(each) == 1)
            continue;
          if (kept || !expands)
            return std::nullopt;
          kept = each;
        }
      if (!expands)
        return number;
      return kept ? kept : std::optional<int64_t>(group.back());
    }
    return std::nullopt;
  };
  Dependence result;
  result.last = dependence.last;
  for (auto [from, to] : {std::pair(&dependence.row, &result.row),
                          std::pair(&dependence.position, &result.position)}) {
    if (!*from)
      continue;
    *to = through(**from);
    if (!*to)
      return refuse(op, "it merges or splits rows of the prompt or positions "
                        "of the cache");
  }
  dependences[op->getResult(0)] = result;
  passFactsOn(source, op->getResult(0));
  return success();
}

LogicalResult Causality::visitConcat(tensor::ConcatOp op) {
  FailureOr<Dependence> result = joined(op);
  if (failed(result))
    return failure();
  for (Value input : op.getInputs()) {
    const Dependence &each = of(input);
    int64_t along = op.getDim();
    if (each.row == along || each.position == along)
      return refuse(op, "it puts something before or behind rows of the prompt "
                        "or positions of the cache");
  }
  dependences[op.getResult()] = *result;
  joinFacts(op.getInputs(), op.getResult());
  return success();
}

} // namespace npu
