// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers of npu.gather and npu.scatter, and the extents of their
// results. The numbers are those of the constraints in NPUOps.td.

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace npu {
namespace {

/// Constraints 1 and 2: where positions are, and the dimensions of both.
template <typename Op>
LogicalResult verifyPositions(Op op) {
  RankedTensorType data = op.getData().getType(),
                   indices = op.getIndices().getType();
  int64_t batch = op.getBatchDims();
  if (indices.getRank() == 0 || indices.isDynamicDim(indices.getRank() - 1) ||
      op.getDepth() < 1)
    return op.emitOpError()
           << "expected indices whose last dimension is the number of "
              "coordinates of a position, at least 1, got "
           << indices;
  if (batch >= indices.getRank() || batch > data.getRank() ||
      op.getDepth() > data.getRank() - batch)
    return op.emitOpError()
           << "expected batch dimensions and coordinates within the "
           << data.getRank() << " dimensions of " << data << " and the "
           << indices.getRank() - 1 << " of the indices, got " << batch
           << " batch dimensions and " << op.getDepth() << " coordinates";
  ArrayRef<int64_t> ofData = data.getShape().take_front(batch),
                    ofIndices = indices.getShape().take_front(batch);
  if (succeeded(verifyCompatibleShape(ofData, ofIndices)))
    return success();
  return op.emitOpError() << "expected the same batch dimensions of data and "
                             "indices, got "
                          << data << " and " << indices;
}

/// A tuple names a slice, so that there is one where there are tuples.
template <typename Op>
LogicalResult verifyIsIndexed(Op op, RankedTensorType slices) {
  ArrayRef<int64_t> indexed =
      op.getData().getType().getShape().slice(op.getBatchDims(), op.getDepth());
  if (!llvm::is_contained(indexed, 0) || !slices.hasStaticShape() ||
      slices.getNumElements() == 0)
    return success();
  return op.emitOpError() << "expected data with entries for "
                          << op.getIndices().getType() << " to name, got "
                          << op.getData().getType();
}

/// Constraint 3: one slice for each tuple.
template <typename Op>
LogicalResult verifySlices(Op op, RankedTensorType slices, StringRef what) {
  RankedTensorType data = op.getData().getType(),
                   indices = op.getIndices().getType();
  SmallVector<int64_t> expected(indices.getShape().drop_back());
  llvm::append_range(expected, data.getShape().drop_front(op.getFirstWhole()));
  if (data.getElementType() == slices.getElementType() &&
      succeeded(verifyCompatibleShape(slices.getShape(), expected)))
    return success();
  return op.emitOpError() << "expected " << what << " of type "
                          << RankedTensorType::get(expected,
                                                   data.getElementType())
                          << ", got " << slices;
}

} // namespace

LogicalResult
GatherOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &extents) {
  int64_t tuples = getIndices().getType().getRank() - 1;
  auto &dims = extents.emplace_back();
  for (int64_t dim = 0; dim < getType().getRank(); ++dim) {
    if (!getType().isDynamicDim(dim))
      dims.push_back(builder.getIndexAttr(getType().getDimSize(dim)));
    else if (dim < tuples)
      dims.push_back(
          tensor::getMixedSize(builder, getLoc(), getIndices(), dim));
    else
      dims.push_back(tensor::getMixedSize(builder, getLoc(), getData(),
                                          getFirstWhole() + dim - tuples));
  }
  return success();
}

LogicalResult
ScatterOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &extents) {
  auto &dims = extents.emplace_back();
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    dims.push_back(getType().isDynamicDim(dim)
                       ? tensor::getMixedSize(builder, getLoc(), getData(), dim)
                       : builder.getIndexAttr(getType().getDimSize(dim)));
  return success();
}

LogicalResult GatherOp::verify() {
  if (failed(verifyPositions(*this)) ||
      failed(verifyIsIndexed(*this, getType())))
    return failure();
  return verifySlices(*this, getType(), "a result");
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyPositions(*this)) ||
      failed(verifySlices(*this, getUpdates().getType(), "updates")) ||
      (!getWhole() && failed(verifyIsIndexed(*this, getUpdates().getType()))))
    return failure();
  RankedTensorType data = getData().getType(), result = getResult().getType();
  // Constraint 4.
  if (data.getElementType() != result.getElementType() ||
      failed(verifyCompatibleShape(data.getShape(), result.getShape())))
    return emitOpError() << "expected a result of the shape and the element "
                            "type of its data, got "
                         << data << " and " << result;
  // Constraint 5.
  if (!getOrigin() && !getWhole())
    return success();
  auto isPart = [&] {
    if (!getOrigin() || !getWhole() ||
        static_cast<int64_t>(getOrigin()->size()) != getDepth() ||
        getOrigin()->size() != getWhole()->size())
      return false;
    for (auto [number, begin, extent] :
         llvm::enumerate(*getOrigin(), *getWhole())) {
      int64_t part = data.getDimSize(getBatchDims() + number);
      if (begin < 0 || extent < 0 ||
          (!ShapedType::isDynamic(part) && begin > extent - part))
        return false;
    }
    return true;
  };
  if (isPart())
    return success();
  return emitOpError() << "expected 'origin' and 'whole' to say where " << data
                       << " lies in a tensor that it is inside of, with "
                       << getDepth() << " numbers each";
}

} // namespace npu
