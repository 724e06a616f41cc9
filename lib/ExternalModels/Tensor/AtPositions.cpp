// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/AtPositions.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// The dimensions that positions are in, and then the others.
SmallVector<int64_t> indexedFirst(ArrayRef<int64_t> indexed, int64_t rank) {
  SmallVector<int64_t> order(indexed);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(indexed, dim))
      order.push_back(dim);
  return order;
}

/// A tensor whose dimension i is dimension `order[i]` of `tensor`.
Value transposed(OpBuilder &builder, Location loc, Value tensor,
                 ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return tensor;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : order)
    sizes.push_back(tensor::getMixedSize(builder, loc, tensor, dim));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes,
                                        getElementTypeOrSelf(tensor.getType()));
  return linalg::TransposeOp::create(builder, loc, tensor, empty, order)
      .getResult()[0];
}

/// A tensor with dimensions of one entry more or fewer.
Value reshaped(OpBuilder &builder, Location loc, Value tensor,
               RankedTensorType type) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from.getRank() == type.getRank())
    return tensor;
  auto groups = getReassociationIndicesForReshape(from, type);
  if (!groups)
    return {};
  if (from.getRank() > type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, type, tensor, *groups);
  return tensor::ExpandShapeOp::create(builder, loc, type, tensor, *groups);
}

/// Positions between 0 and the last entry of the dimensions that they index.
Value within(OpBuilder &builder, Location loc, Value positions,
             ArrayRef<int64_t> extents) {
  auto type = cast<RankedTensorType>(positions.getType());
  Type element = type.getElementType();
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  SmallVector<APInt> lasts;
  for (int64_t extent : extents)
    lasts.emplace_back(width, std::min(extent - 1, llvm::maxIntN(width)));
  bool areEqual = llvm::all_equal(lasts);
  SmallVector<APInt> entries;
  if (areEqual)
    entries.push_back(lasts.front());
  else
    for (int64_t entry = 0; entry < type.getNumElements(); ++entry)
      entries.push_back(lasts[entry % lasts.size()]);
  auto constant = [&](ArrayRef<APInt> values) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, values));
  };
  Value least = arith::MaxSIOp::create(builder, loc, positions,
                                       constant(APInt::getZero(width)));
  return arith::MinSIOp::create(builder, loc, least, constant(entries));
}

Value gatherAtPositions(OpBuilder &builder, tensor::GatherOp gather) {
  Location loc = gather.getLoc();
  RankedTensorType source = gather.getSource().getType(),
                   indices = gather.getIndices().getType(),
                   type = gather.getResult().getType();
  if (!source.hasStaticShape() || !indices.hasStaticShape() ||
      !type.hasStaticShape() || indices.getNumElements() == 0 ||
      source.getNumElements() == 0)
    return {};
  ArrayRef<int64_t> indexed = gather.getGatherDims();
  SmallVector<int64_t> order = indexedFirst(indexed, source.getRank()), extents,
                       shape(indices.getShape().drop_back());
  for (int64_t dim : order)
    (llvm::is_contained(indexed, dim) ? extents : shape)
        .push_back(source.getDimSize(dim));
  auto made = RankedTensorType::get(shape, type.getElementType());
  Value data = transposed(builder, loc, gather.getSource(), order);
  Value at = within(builder, loc, gather.getIndices(), extents);
  Value result = GatherOp::create(builder, loc, made, data, at);
  return reshaped(builder, loc, result, type);
}

Value scatterAtPositions(OpBuilder &builder, tensor::ScatterOp scatter) {
  Location loc = scatter.getLoc();
  RankedTensorType dest = scatter.getDest().getType(),
                   source = scatter.getSource().getType(),
                   indices = scatter.getIndices().getType();
  ArrayRef<int64_t> indexed = scatter.getScatterDims();
  int64_t tuples = indices.getRank() - 1;
  SmallVector<int64_t> order = indexedFirst(indexed, dest.getRank()), shape;
  bool keepsDims = source.getRank() == tuples + dest.getRank();
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim < tuples || !keepsDims ||
        !llvm::is_contained(indexed, dim - tuples))
      shape.push_back(source.getDimSize(dim));
  Value updates =
      reshaped(builder, loc, scatter.getSource(),
               RankedTensorType::get(shape, source.getElementType()));
  Value data = transposed(builder, loc, scatter.getDest(), order);
  Value made =
      ScatterOp::create(builder, loc, data.getType(), updates, data,
                        scatter.getIndices(), /*batch_dims=*/uint64_t(0),
                        /*origin=*/nullptr, /*whole=*/nullptr);
  SmallVector<int64_t> back = invertPermutationVector(order);
  Value result = transposed(builder, loc, made, back);
  if (result.getType() != scatter.getType())
    result = tensor::CastOp::create(builder, loc, scatter.getType(), result);
  return result;
}

} // namespace

Value dataAtPositions(Operation *op) {
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return gather.getSource();
  if (auto scatter = dyn_cast<tensor::ScatterOp>(op))
    return scatter.getDest();
  return {};
}

Value atPositions(OpBuilder &builder, Operation *op) {
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return gatherAtPositions(builder, gather);
  return scatterAtPositions(builder, cast<tensor::ScatterOp>(op));
}

} // namespace npu
