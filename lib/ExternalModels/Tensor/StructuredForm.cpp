// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured forms of tensor.gather and tensor.bitcast, for which upstream
// has neither a lowering to loops nor the extents of results.

#include "../Models.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/AtPositions.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// An empty tensor of `type` with these sizes in its dynamic dimensions.
Value emptyOf(OpBuilder &builder, Location loc, RankedTensorType type,
              ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return tensor::EmptyOp::create(builder, loc, type, dynamic);
}

/// Whether the result keeps the gathered dimensions with extent 1.
bool keepsDims(tensor::GatherOp gather) {
  int64_t batchRank = gather.getIndices().getType().getRank() - 1;
  return gather.getResult().getType().getRank() ==
         batchRank + gather.getSource().getType().getRank();
}

/// The extents of a gather's result: those of the indices, and those of the
/// source in dimensions that are not gathered.
SmallVector<OpFoldResult> extentsOf(OpBuilder &builder,
                                    tensor::GatherOp gather) {
  Location loc = gather.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, gather.getIndices());
  sizes.pop_back();
  for (auto [dim, size] :
       llvm::enumerate(tensor::getMixedSizes(builder, loc, gather.getSource())))
    if (!llvm::is_contained(gather.getGatherDims(), dim))
      sizes.push_back(size);
    else if (keepsDims(gather))
      sizes.push_back(builder.getIndexAttr(1));
  return sizes;
}

/// Builds a linalg.generic over the result, each element of which loads its
/// indices and then the source at them: result[b..., j...] = source[at], where
/// at[d] is indices[b..., k] for the k-th gathered dimension d and j's own
/// coordinate for every other.
Value structuredGather(OpBuilder &builder, tensor::GatherOp gather) {
  auto type = cast<RankedTensorType>(gather.getResult().getType());
  auto sourceType = cast<RankedTensorType>(gather.getSource().getType());
  int64_t batchRank =
      cast<RankedTensorType>(gather.getIndices().getType()).getRank() - 1;
  ArrayRef<int64_t> gathered = gather.getGatherDims();
  bool keeps = keepsDims(gather);
  Location loc = gather.getLoc();
  // The last position of each gathered dimension.
  SmallVector<Value> lastOf(sourceType.getRank());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (int64_t dim : gathered) {
    Value extent = getValueOrCreateConstantIndexOp(
        builder, loc,
        tensor::getMixedSize(builder, loc, gather.getSource(), dim));
    lastOf[dim] = builder.createOrFold<arith::SubIOp>(loc, extent, one);
  }
  Value empty = emptyOf(builder, loc, type, extentsOf(builder, gather));
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
      // An index outside of the tensor is undefined; here it reads the nearest
      // element, so that generated inputs cannot crash the process.
      Value first = arith::ConstantIndexOp::create(inner, loc, 0);
      index = arith::MaxSIOp::create(inner, loc, index, first);
      sourceAt.push_back(
          arith::MinSIOp::create(inner, loc, index, lastOf[dim]));
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

/// The signless type of the same width, which is the only one that arith
/// accepts.
Type withoutSign(Type type) {
  return isa<IntegerType>(type)
             ? IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth())
             : type;
}

Value rename(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : UnrealizedConversionCastOp::create(builder, loc, type, value)
                   .getResult(0);
}

/// Builds an elementwise bitcast.
Value structuredBitcast(OpBuilder &builder, tensor::BitcastOp bitcast) {
  auto from = cast<RankedTensorType>(bitcast.getSource().getType());
  auto to = cast<RankedTensorType>(bitcast.getType());
  Location loc = bitcast.getLoc();
  Type result = to.getElementType();
  Value empty =
      emptyOf(builder, loc, to,
              tensor::getMixedSizes(builder, loc, bitcast.getSource()));
  auto body = [&](OpBuilder &inner, Location, ValueRange elements) {
    Value bits =
        rename(inner, loc, elements[0], withoutSign(from.getElementType()));
    if (bits.getType() != withoutSign(result))
      bits = arith::BitcastOp::create(inner, loc, withoutSign(result), bits);
    linalg::YieldOp::create(inner, loc, rename(inner, loc, bits, result));
  };
  AffineMap identity = builder.getMultiDimIdentityMap(to.getRank());
  SmallVector<utils::IteratorType> loops(to.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, to, bitcast.getSource(), empty,
                                   {identity, identity}, loops, body)
      .getResult(0);
}

/// The form that `build` gives.
template <typename Op, Value (*build)(OpBuilder &, Op)>
struct Form : StructuredFormOpInterface::ExternalModel<Form<Op, build>, Op> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    rewriter.replaceOp(op, build(rewriter, cast<Op>(op)));
    return success();
  }
};

/// A scatter as the form of the npu.scatter that it is.
struct ScatterForm
    : StructuredFormOpInterface::ExternalModel<ScatterForm, tensor::ScatterOp> {
  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    Operation *before = op->getPrevNode();
    Value made = atPositions(rewriter, op);
    Block::iterator first =
        before ? std::next(before->getIterator()) : op->getBlock()->begin();
    SmallVector<Operation *> scatters;
    for (Operation &each : llvm::make_range(first, op->getIterator()))
      if (isa<ScatterOp>(each))
        scatters.push_back(&each);
    rewriter.replaceOp(op, made);
    for (Operation *scatter : scatters) {
      rewriter.setInsertionPoint(scatter);
      if (failed(cast<StructuredFormOpInterface>(scatter).rewriteAsStructured(
              rewriter)))
        return failure();
    }
    return success();
  }
};

using GatherForm = Form<tensor::GatherOp, structuredGather>;
using BitcastForm = Form<tensor::BitcastOp, structuredBitcast>;

struct GatherExtents
    : ReifyRankedShapedTypeOpInterface::ExternalModel<GatherExtents,
                                                      tensor::GatherOp> {
  LogicalResult
  reifyResultShapes(Operation *op, OpBuilder &builder,
                    ReifiedRankedShapedTypeDims &reifiedReturnShapes) const {
    reifiedReturnShapes = {extentsOf(builder, cast<tensor::GatherOp>(op))};
    return success();
  }
};

struct BitcastExtents
    : ReifyRankedShapedTypeOpInterface::ExternalModel<BitcastExtents,
                                                      tensor::BitcastOp> {
  LogicalResult
  reifyResultShapes(Operation *op, OpBuilder &builder,
                    ReifiedRankedShapedTypeDims &reifiedReturnShapes) const {
    reifiedReturnShapes = {
        tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0))};
    return success();
  }
};

} // namespace

void registerTensorStructuredForms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::GatherOp::attachInterface<GatherForm, GatherExtents>(*context);
    tensor::ScatterOp::attachInterface<ScatterForm>(*context);
    tensor::BitcastOp::attachInterface<BitcastForm, BitcastExtents>(*context);
  });
}

} // namespace npu
