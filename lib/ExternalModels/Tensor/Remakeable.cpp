// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensor.h"
#include "npu/Interfaces/RemakeableOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

struct EmptyRemake
    : RemakeableOpInterface::ExternalModel<EmptyRemake, tensor::EmptyOp> {
  DataNeed getDataNeed(Operation *) const { return DataNeed::Unwritten; }

  FailureOr<Value> remakeAs(Operation *op, OpBuilder &builder,
                            RankedTensorType type) const {
    auto again =
        tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    again->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return again.getResult();
  }
};

struct SplatRemake
    : RemakeableOpInterface::ExternalModel<SplatRemake, tensor::SplatOp> {
  DataNeed getDataNeed(Operation *) const { return DataNeed::Uniform; }

  FailureOr<Value> remakeAs(Operation *op, OpBuilder &builder,
                            RankedTensorType type) const {
    return clone(builder, op, TypeRange{type}, op->getOperands())->getResult(0);
  }
};

} // namespace

void registerTensorRemakeableModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<EmptyRemake>(*context);
    tensor::SplatOp::attachInterface<SplatRemake>(*context);
  });
}

} // namespace npu
