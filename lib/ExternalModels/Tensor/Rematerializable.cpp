// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensor.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

struct EmptyRematerialization
    : RematerializableOpInterface::ExternalModel<EmptyRematerialization,
                                                 tensor::EmptyOp> {
  DataNeed getDataNeed(Operation *) const { return DataNeed::Unwritten; }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    auto again =
        tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    again->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return again.getResult();
  }
};

struct SplatRematerialization
    : RematerializableOpInterface::ExternalModel<SplatRematerialization,
                                                 tensor::SplatOp> {
  DataNeed getDataNeed(Operation *) const { return DataNeed::Uniform; }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    return clone(builder, op, TypeRange{type}, op->getOperands())->getResult(0);
  }
};

} // namespace

void registerTensorRematerializableModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<EmptyRematerialization>(*context);
    tensor::SplatOp::attachInterface<SplatRematerialization>(*context);
  });
}

} // namespace npu
