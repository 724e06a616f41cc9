// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices with NumPy's rules.

#include "TensorBuilder.h"

using namespace mlir;

namespace npu {

Value TensorBuilder::matmul(Value a, Value b, bool transposeA,
                            bool transposeB) {
  auto shapeOf = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType()).getShape();
  };
  SmallVector<int64_t> left(shapeOf(a)), right(shapeOf(b));
  if (left.empty() || right.empty())
    return {};
  // Vectors are matrices of one row or one column for as long as it takes.
  bool isRow = left.size() == 1, isColumn = right.size() == 1;
  if (isRow)
    left.insert(left.begin(), 1);
  if (isColumn)
    right.push_back(1);
  a = isRow ? reshape(a, left) : a;
  b = isColumn ? reshape(b, right) : b;
  transposeA &= !isRow;
  transposeB &= !isColumn;
  // Where rows and columns are, counted from the end.
  std::size_t leftRows = left.size() - (transposeA ? 1 : 2),
              leftInner = left.size() - (transposeA ? 2 : 1),
              rightInner = right.size() - (transposeB ? 1 : 2),
              rightColumns = right.size() - (transposeB ? 2 : 1);
  int64_t inner = left[leftInner], otherInner = right[rightInner];
  if (inner != otherInner && !ShapedType::isDynamic(inner) &&
      !ShapedType::isDynamic(otherInner))
    return {};
  ArrayRef<int64_t> leftOuter = ArrayRef(left).drop_back(2);
  ArrayRef<int64_t> rightOuter = ArrayRef(right).drop_back(2);
  auto outer = broadcastShape(leftOuter, rightOuter);
  if (!outer)
    return {};

  int64_t rank = static_cast<int64_t>(outer->size());
  Sizes leftSizes = sizes(a), rightSizes = sizes(b),
        resultSizes = sizes(*outer);
  // Dimensions of extent 1 that are repeated go, as in a map.
  auto operand = [&](Value value, ArrayRef<int64_t> shape, const Sizes &all,
                     ArrayRef<AffineExpr> last, SmallVector<AffineMap> &maps) {
    int64_t after = rank - (static_cast<int64_t>(shape.size()) - 2);
    SmallVector<int64_t> kept;
    SmallVector<AffineExpr> exprs;
    for (std::size_t dim = 0; dim + 2 < shape.size(); ++dim) {
      int64_t loop = after + static_cast<int64_t>(dim);
      if (shape[dim] == 1 && (*outer)[loop] != 1)
        continue;
      kept.push_back(shape[dim]);
      exprs.push_back(builder.getAffineDimExpr(loop));
      if (ShapedType::isDynamic((*outer)[loop]))
        resultSizes[loop] = all[dim];
    }
    llvm::append_range(kept, shape.take_back(2));
    llvm::append_range(exprs, last);
    maps.push_back(AffineMap::get(rank + 3, 0, exprs, builder.getContext()));
    return kept.size() == shape.size() ? value : reshape(value, kept);
  };
  AffineExpr m = builder.getAffineDimExpr(rank),
             n = builder.getAffineDimExpr(rank + 1),
             k = builder.getAffineDimExpr(rank + 2);
  SmallVector<AffineMap> maps;
  SmallVector<AffineExpr> leftDims{m, k}, rightDims{k, n};
  if (transposeA)
    std::swap(leftDims[0], leftDims[1]);
  if (transposeB)
    std::swap(rightDims[0], rightDims[1]);
  Value lhs = operand(a, left, leftSizes, leftDims, maps);
  Value rhs = operand(b, right, rightSizes, rightDims, maps);
  resultSizes.push_back(leftSizes[leftRows]);
  resultSizes.push_back(rightSizes[rightColumns]);
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < rank + 2; ++dim)
    exprs.push_back(builder.getAffineDimExpr(dim));
  maps.push_back(AffineMap::get(rank + 3, 0, exprs, builder.getContext()));

  Type type = mlir::cast<RankedTensorType>(a.getType()).getElementType();
  Value zero = filled(resultSizes, scalar(type, 0));
  Value product;
  if (transposeA || transposeB) {
    product = contract(lhs, rhs, zero, maps);
  } else if (rank == 0) {
    product =
        linalg::MatmulOp::create(builder, loc, {lhs, rhs}, {zero}).getResult(0);
  } else if (rank == 1 && shapeOf(lhs).size() == 3 &&
             shapeOf(rhs).size() == 3) {
    product = linalg::BatchMatmulOp::create(builder, loc, {lhs, rhs}, {zero})
                  .getResult(0);
  } else {
    product = contract(lhs, rhs, zero, maps);
  }
  if (!isRow && !isColumn)
    return product;
  SmallVector<int64_t> shape(shapeOf(product));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.begin() + rank);
  return reshape(product, shape);
}

} // namespace npu
