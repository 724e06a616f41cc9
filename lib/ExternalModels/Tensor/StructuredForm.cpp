// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor.gather and tensor.bitcast, which upstream does not lower, as
// structured operations.

#include "Tensor.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// A linalg.generic over the result whose every element loads its indices and
/// then the source at them: result[b..., j...] = source[at], where at[d] is
/// indices[b..., k] for the k-th gathered dimension d and j's own coordinate
/// for every other.
Value structuredGather(OpBuilder &builder, tensor::GatherOp gather) {
  auto type = cast<RankedTensorType>(gather.getResult().getType());
  auto sourceType = cast<RankedTensorType>(gather.getSource().getType());
  int64_t batchRank =
      cast<RankedTensorType>(gather.getIndices().getType()).getRank() - 1;
  ArrayRef<int64_t> gathered = gather.getGatherDims();
  // The result may have kept its dimensions of extent 1 or left them out.
  bool keeps = type.getRank() == batchRank + sourceType.getRank();
  Location loc = gather.getLoc();
  Value empty = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
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

/// Signs are names of the same bits, which arith knows nothing of.
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

/// The same bits, element by element.
Value structuredBitcast(OpBuilder &builder, tensor::BitcastOp bitcast) {
  auto from = cast<RankedTensorType>(bitcast.getSource().getType());
  auto to = cast<RankedTensorType>(bitcast.getType());
  Location loc = bitcast.getLoc();
  Type result = to.getElementType();
  Value empty = tensor::EmptyOp::create(builder, loc, to.getShape(), result,
                                        to.getEncoding());
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

struct GatherForm
    : StructuredFormOpInterface::ExternalModel<GatherForm, tensor::GatherOp> {
  bool hasStructuredForm(Operation *op) const {
    auto gather = cast<tensor::GatherOp>(op);
    return isStaticTensor(gather.getResult().getType()) &&
           isStaticTensor(gather.getSource().getType());
  }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    if (!hasStructuredForm(op))
      return failure();
    rewriter.replaceOp(op,
                       structuredGather(rewriter, cast<tensor::GatherOp>(op)));
    return success();
  }
};

struct BitcastForm
    : StructuredFormOpInterface::ExternalModel<BitcastForm, tensor::BitcastOp> {
  bool hasStructuredForm(Operation *op) const {
    return isStaticTensor(op->getOperand(0).getType()) &&
           isStaticTensor(op->getResult(0).getType());
  }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    if (!hasStructuredForm(op))
      return failure();
    rewriter.replaceOp(
        op, structuredBitcast(rewriter, cast<tensor::BitcastOp>(op)));
    return success();
  }
};

} // namespace

void registerTensorStructuredForms(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::GatherOp::attachInterface<GatherForm>(*context);
    tensor::BitcastOp::attachInterface<BitcastForm>(*context);
  });
}

} // namespace npu
