// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tensor.h"
#include "npu/Interfaces/WorkOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// What it does not insert is in place.
struct InsertSliceWork
    : WorkOpInterface::ExternalModel<InsertSliceWork, tensor::InsertSliceOp> {
  std::optional<unsigned> getElementOperand(Operation *) const { return 0; }
};

} // namespace

void registerTensorWorkModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::InsertSliceOp::attachInterface<InsertSliceWork>(*context);
  });
}

} // namespace npu
