// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensor.h"
#include "npu/Interfaces/EntryReadOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

struct ExtractRead
    : EntryReadOpInterface::ExternalModel<ExtractRead, tensor::ExtractOp> {
  OpOperand &getReadTensor(Operation *op) const {
    return cast<tensor::ExtractOp>(op).getTensorMutable();
  }

  MutableOperandRange getReadPosition(Operation *op) const {
    return cast<tensor::ExtractOp>(op).getIndicesMutable();
  }
};

} // namespace

void registerTensorEntryReadModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractOp::attachInterface<ExtractRead>(*context);
  });
}

} // namespace npu
