// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowMaximum.h"
#include "npu/Analysis/SplitReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// What `map` reads in dimensions that are not of extent 1, and not along
/// `loop`.
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
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    matchPattern(fill.getInputs()[0], m_Constant(&constant));
  return constant;
}

bool isLargestAlong(OpOperand &largest, OpOperand &of, linalg::LinalgOp op,
                    unsigned loop) {
  Value value = largest.get();
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
      break;
    auto before = cast<RankedTensorType>(def->getOperand(0).getType());
    auto after = cast<RankedTensorType>(value.getType());
    auto others = [](RankedTensorType type) {
      return llvm::to_vector(llvm::make_filter_range(
          type.getShape(), [](int64_t extent) { return extent != 1; }));
    };
    if (others(before) != others(after))
      return false;
    value = def->getOperand(0);
  }
  auto reduce = value.getDefiningOp<linalg::LinalgOp>();
  std::optional<Reduction> reduction;
  if (reduce)
    reduction = matchReduction(reduce);
  if (!reduction ||
      !isa<arith::MaximumFOp, arith::MaxNumFOp>(reduction->combiner) ||
      reduce.getNumReductionLoops() != 1 || reduce.getNumDpsInputs() != 1 ||
      reduce->getOperand(0) != of.get())
    return false;
  // Of the entries themselves.
  Block *body = reduce.getBlock();
  Value acc = body->getArgument(1);
  Operation *combiner = reduction->combiner;
  Value term = combiner->getOperand(combiner->getOperand(0) == acc ? 1 : 0);
  if (term != body->getArgument(0))
    return false;
  SmallVector<unsigned> reduced;
  reduce.getReductionDims(reduced);
  AffineMap readThere = reduce.getIndexingMapsArray()[0];
  AffineMap made = reduce.getIndexingMapsArray()[1];
  AffineMap read = op.getMatchingIndexingMap(&of);
  AffineMap readLargest = op.getMatchingIndexingMap(&largest);
  if (!isProjectedPermutationWith(readThere, reduced.front()) ||
      !isProjectedPermutationWith(read, loop) ||
      made.isFunctionOfDim(reduced.front()))
    return false;
  auto ofType = cast<RankedTensorType>(of.get().getType());
  auto dimAlong = [&](AffineMap map, unsigned along) {
    return map.getResultPosition(getAffineDimExpr(along, map.getContext()));
  };
  if (dimAlong(readThere, reduced.front()) != dimAlong(read, loop))
    return false;
  // The same row: what the reduction calls row r, the operation reads as row r.
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
    return false;
  for (auto [there, here] : llvm::zip(madeThere, rowLargest)) {
    auto it = llvm::find(rowThere, there);
    if (it == rowThere.end() || row[it - rowThere.begin()] != here)
      return false;
  }
  return true;
}

} // namespace npu
