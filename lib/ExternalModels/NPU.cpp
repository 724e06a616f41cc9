// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Models.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// A change of the layout does not change the padding.
MaybeRefused keepPadding(Operation *op, PaddingTransfer &transfer) {
  transfer.setResult(op->getResult(0), transfer.of(op->getOperand(0)));
  return std::nullopt;
}

struct DistributionCastPadding
    : PaddingOpInterface::ExternalModel<DistributionCastPadding,
                                        DistributionCastOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    return keepPadding(op, transfer);
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    Location loc = op->getLoc();
    Value source = operands.padded(op->getOperand(0), loc);
    // Where tiles hold the result of the unpadded cast, they may not hold that
    // of the padded one.
    if (Value moved = operands.redistributed(
            source, operands.paddedType(op->getResult(0)), loc))
      return {moved};
    return cloneOnPadded(op, operands);
  }
};

template <typename Op>
struct SamePadding : PaddingOpInterface::ExternalModel<SamePadding<Op>, Op> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    return keepPadding(op, transfer);
  }
};

/// In a tile program: channels are filled up to whole groups, split into these
/// and moved to the end; and back.
struct ConvertStorageForm
    : StructuredFormOpInterface::ExternalModel<ConvertStorageForm,
                                               ConvertStorageOp> {
  bool hasStructuredForm(Operation *op) const {
    return !hasLayout(op->getResult(0).getType());
  }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    auto convert = cast<ConvertStorageOp>(op);
    if (!hasStructuredForm(op))
      return failure();
    rewriter.replaceOp(op, convert.packs() ? pack(rewriter, convert)
                                           : unpack(rewriter, convert));
    return success();
  }

private:
  static SmallVector<ReassociationIndices> groups() {
    return {{0}, {1, 2}, {3}, {4}};
  }

  static Value transpose(OpBuilder &builder, Location loc, Value value,
                         ArrayRef<int64_t> order) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (int64_t dim : order)
      shape.push_back(type.getDimSize(dim));
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    return linalg::TransposeOp::create(builder, loc, value, empty, order)
        .getResult()[0];
  }

  static SmallVector<OpFoldResult> numbers(OpBuilder &builder,
                                           ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  }

  static Value pack(OpBuilder &builder, ConvertStorageOp op) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getInput().getType(), image = op.getType();
    Type element = type.getElementType();
    SmallVector<int64_t> filled(type.getShape());
    int64_t fullGroups = image.getDimSize(2);
    filled[1] = fullGroups * channelsPacked;
    Value value = op.getInput();
    if (filled[1] != type.getDimSize(1)) {
      Value whole = tensor::EmptyOp::create(builder, loc, filled, element);
      // There are tensors of integers with a sign, and no constants.
      if (isa<IntegerType>(element) && !element.isSignlessInteger())
        whole = arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(RankedTensorType::get(filled, element),
                                   builder.getIntegerAttr(element, 0)));
      else if (auto zero =
                   dyn_cast_or_null<TypedAttr>(builder.getZeroAttr(element)))
        whole = linalg::FillOp::create(
                    builder, loc,
                    arith::ConstantOp::create(builder, loc, zero).getResult(),
                    whole)
                    .getResult(0);
      value = tensor::InsertSliceOp::create(
          builder, loc, value, whole, numbers(builder, {0, 0, 0, 0}),
          numbers(builder, type.getShape()), numbers(builder, {1, 1, 1, 1}));
    }
    auto split = RankedTensorType::get(
        {filled[0], fullGroups, channelsPacked, filled[2], filled[3]}, element);
    value = tensor::ExpandShapeOp::create(builder, loc, split, value, groups());
    return transpose(builder, loc, value, {0, 3, 1, 4, 2});
  }

  static Value unpack(OpBuilder &builder, ConvertStorageOp op) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Value value = transpose(builder, loc, op.getInput(), {0, 2, 4, 1, 3});
    value = tensor::CollapseShapeOp::create(builder, loc, value, groups());
    if (value.getType() == type)
      return value;
    return tensor::ExtractSliceOp::create(
        builder, loc, value, numbers(builder, {0, 0, 0, 0}),
        numbers(builder, type.getShape()), numbers(builder, {1, 1, 1, 1}));
  }
};

struct PermuteCastPadding
    : PaddingOpInterface::ExternalModel<PermuteCastPadding, PermuteCastOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto cast = ::cast<PermuteCastOp>(op);
    const PaddingState &state = transfer.of(cast.getInput());
    PaddingState result;
    for (int64_t dim : getInputDimensions(cast))
      result.push_back(state[dim]);
    // A permute_cast may move a dimension of extent 1, but not one that is
    // padded to another extent.
    RankedTensorType padded = transfer.paddedType(cast.getInput());
    if (!padded.hasStaticShape() ||
        !isTrivialMemPerm(
            permute(toExtents(padded.getShape()), getOrder(padded)),
            toExtents(cast.getMemPerm())))
      return Refusal("with padding, {} would have to move for it",
                     cast.getInput());
    transfer.setResult(cast, std::move(result));
    return std::nullopt;
  }
};

} // namespace

void registerNPUModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NPUDialect *) {
    DistributionCastOp::attachInterface<DistributionCastPadding>(*context);
    RedistributeOp::attachInterface<SamePadding<RedistributeOp>>(*context);
    ConvertStorageOp::attachInterface<SamePadding<ConvertStorageOp>,
                                      ConvertStorageForm>(*context);
    PermuteCastOp::attachInterface<PermuteCastPadding>(*context);
  });
}

} // namespace npu
