// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// The expressions that `map` reads dimensions of extent other than 1 at,
/// except those that use `loop`.
SmallVector<AffineExpr> othersRead(AffineMap map, RankedTensorType type,
                                   unsigned loop) {
  SmallVector<AffineExpr> exprs;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (type.getDimSize(dim) != 1 &&
        expr != getAffineDimExpr(loop, map.getContext()))
      exprs.push_back(expr);
  return exprs;
}

bool isProjectedPermutationWith(AffineMap map, unsigned loop) {
  return map.isProjectedPermutation() && map.isFunctionOfDim(loop);
}

} // namespace

TypedAttr splatOf(Value tensor) {
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>()
                              : TypedAttr();
  TypedAttr constant;
  if (auto fill = tensor.getDefiningOp<linalg::FillOpInterface>())
    matchPattern(fill.value(), m_Constant(&constant));
  return constant;
}

linalg::LinalgOp largestAlong(OpOperand &largest, OpOperand &of,
                              linalg::LinalgOp op, unsigned loop) {
  Value value = largest.get();
  while (Operation *def = value.getDefiningOp()) {
    Value viewed = viewedTensor(def);
    auto before = viewed ? dyn_cast<RankedTensorType>(viewed.getType())
                         : RankedTensorType();
    if (!before)
      break;
    auto after = cast<RankedTensorType>(value.getType());
    auto others = [](RankedTensorType type) {
      return llvm::to_vector(llvm::make_filter_range(
          type.getShape(), [](int64_t extent) { return extent != 1; }));
    };
    if (others(before) != others(after))
      return {};
    value = viewed;
  }
  auto reduce = value.getDefiningOp<linalg::LinalgOp>();
  std::optional<Reduction> reduction;
  if (reduce)
    reduction = matchReduction(reduce);
  if (!reduction ||
      !isa<arith::MaximumFOp, arith::MaxNumFOp>(reduction->combiner) ||
      reduce.getNumReductionLoops() != 1 || reduce.getNumDpsInputs() != 1 ||
      reduce->getOperand(0) != of.get())
    return {};
  // The body reduces the entries themselves.
  Block *body = reduce.getBlock();
  Value acc = body->getArgument(1);
  Operation *combiner = reduction->combiner;
  Value term = combiner->getOperand(combiner->getOperand(0) == acc ? 1 : 0);
  if (term != body->getArgument(0))
    return {};
  SmallVector<unsigned> reduced;
  reduce.getReductionDims(reduced);
  AffineMap readThere = reduce.getIndexingMapsArray()[0];
  AffineMap made = reduce.getIndexingMapsArray()[1];
  AffineMap read = op.getMatchingIndexingMap(&of);
  AffineMap readLargest = op.getMatchingIndexingMap(&largest);
  if (!isProjectedPermutationWith(readThere, reduced.front()) ||
      !isProjectedPermutationWith(read, loop) ||
      made.isFunctionOfDim(reduced.front()))
    return {};
  auto ofType = cast<RankedTensorType>(of.get().getType());
  auto dimAlong = [&](AffineMap map, unsigned along) {
    return map.getResultPosition(getAffineDimExpr(along, map.getContext()));
  };
  if (dimAlong(readThere, reduced.front()) != dimAlong(read, loop))
    return {};
  // Both operations have to read the same row: the entries of the reduction's
  // row r are those that the operation reads as row r.
  SmallVector<AffineExpr> rowThere =
      othersRead(readThere, ofType, reduced.front());
  SmallVector<AffineExpr> row = othersRead(read, ofType, loop);
  SmallVector<AffineExpr> madeThere = othersRead(
      made, cast<RankedTensorType>(value.getType()), reduced.front());
  SmallVector<AffineExpr> rowLargest = othersRead(
      readLargest, cast<RankedTensorType>(largest.get().getType()), loop);
  if (readLargest.isFunctionOfDim(loop) ||
      madeThere.size() != rowThere.size() || rowLargest.size() != row.size() ||
      madeThere.size() != rowLargest.size())
    return {};
  for (auto [there, here] : llvm::zip(madeThere, rowLargest)) {
    auto it = llvm::find(rowThere, there);
    if (it == rowThere.end() || row[it - rowThere.begin()] != here)
      return {};
  }
  return reduce;
}

static OpOperand *inputOf(Value value, linalg::LinalgOp op) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  bool isTensor = isa<TensorType>(operand->get().getType());
  return isTensor && !op.isDpsInit(operand) ? operand : nullptr;
}

linalg::LinalgOp subtractedLargest(arith::SubFOp sub, linalg::LinalgOp op,
                                   unsigned loop) {
  OpOperand *entry = inputOf(sub.getLhs(), op);
  OpOperand *largest = inputOf(sub.getRhs(), op);
  return entry && largest ? largestAlong(*largest, *entry, op, loop)
                          : linalg::LinalgOp();
}

bool isExponentialOfRow(Value term, linalg::LinalgOp op, unsigned loop) {
  if (Operation *exp = term.getDefiningOp()) {
    if (!isa<math::ExpOp, math::Exp2Op>(exp))
      return false;
    auto sub = exp->getOperand(0).getDefiningOp<arith::SubFOp>();
    linalg::LinalgOp largest =
        sub ? subtractedLargest(sub, op, loop) : linalg::LinalgOp();
    // A reduction that begins with -inf gives an entry of the row, if that has
    // any.
    auto begin = dyn_cast_or_null<FloatAttr>(
        largest ? splatOf(largest.getDpsInits()[0]) : TypedAttr());
    return begin && begin.getValue().isInfinity() &&
           begin.getValue().isNegative() && op.getStaticLoopRanges()[loop] != 0;
  }
  OpOperand *operand = inputOf(term, op);
  if (!operand)
    return false;
  auto maker = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!maker || maker.getNumReductionLoops() != 0)
    return false;
  auto result = cast<OpResult>(operand->get());
  AffineMap made = maker.getIndexingMapMatchingResult(result);
  AffineMap read = op.getMatchingIndexingMap(operand);
  if (!made.isPermutation() || !isProjectedPermutationWith(read, loop))
    return false;
  // Find the dimension that is read along the loop, and the loop of the
  // operation that made it.
  unsigned dim =
      *read.getResultPosition(getAffineDimExpr(loop, op->getContext()));
  return isExponentialOfRow(
      maker.getBlock()->getTerminator()->getOperand(result.getResultNumber()),
      maker, made.getDimPosition(dim));
}

} // namespace npu
