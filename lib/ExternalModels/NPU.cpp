// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Models.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/PaddingOpInterface.h"

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

struct RedistributePadding
    : PaddingOpInterface::ExternalModel<RedistributePadding, RedistributeOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    return keepPadding(op, transfer);
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
    RedistributeOp::attachInterface<RedistributePadding>(*context);
    PermuteCastOp::attachInterface<PermuteCastPadding>(*context);
  });
}

} // namespace npu
