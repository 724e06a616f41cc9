// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// result[b..., j...] = source[at], where at[d] is indices[b..., k] for the k-th
// gathered dimension d and j's own coordinate for every other.

#include "LowerGather.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {

FailureOr<Value> lowerGather(OpBuilder &builder, tensor::GatherOp gather) {
  auto type = cast<RankedTensorType>(gather.getResult().getType());
  auto sourceType = cast<RankedTensorType>(gather.getSource().getType());
  if (!type.hasStaticShape() || !sourceType.hasStaticShape())
    return failure();
  int64_t batchRank =
      cast<RankedTensorType>(gather.getIndices().getType()).getRank() - 1;
  ArrayRef<int64_t> gathered = gather.getGatherDims();
  // The result may have kept its dimensions of extent 1 or left them out.
  bool keeps = type.getRank() == batchRank + sourceType.getRank();
  Location loc = gather.getLoc();
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto body = [&](OpBuilder &inner, Location, ValueRange) {
    SmallVector<Value> indexAt, sourceAt;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      indexAt.push_back(linalg::IndexOp::create(inner, loc, dim));
    indexAt.push_back(Value());
    int64_t resultDim = batchRank;
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim) {
      const auto *place = llvm::find(gathered, dim);
      if (place == gathered.end()) {
        sourceAt.push_back(linalg::IndexOp::create(inner, loc, resultDim++));
        continue;
      }
      resultDim += keeps;
      indexAt.back() =
          arith::ConstantIndexOp::create(inner, loc, place - gathered.begin());
      Value index =
          tensor::ExtractOp::create(inner, loc, gather.getIndices(), indexAt);
      if (!index.getType().isIndex())
        index =
            arith::IndexCastOp::create(inner, loc, inner.getIndexType(), index);
      // An index outside is undefined; here it reads the nearest element, so
      // that generated inputs cannot crash the process.
      Value first = arith::ConstantIndexOp::create(inner, loc, 0);
      Value last = arith::ConstantIndexOp::create(
          inner, loc, sourceType.getDimSize(dim) - 1);
      index = arith::MaxSIOp::create(inner, loc, index, first);
      sourceAt.push_back(arith::MinSIOp::create(inner, loc, index, last));
    }
    Value element =
        tensor::ExtractOp::create(inner, loc, gather.getSource(), sourceAt);
    linalg::YieldOp::create(inner, loc, element);
  };
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(builder, loc, type, ValueRange(), empty,
                                   identity, loops, body)
      .getResult(0);
}

} // namespace npu
