// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of ScalarOpInterface for operations of tensor that read entries by
// position.

#include "Tensor.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// The harmless number of an operation whose operands from `first` on are the
/// position of an entry.
std::optional<int64_t> harmlessPosition(Operation *op, unsigned number,
                                        unsigned first,
                                        RankedTensorType tensor) {
  if (number < first)
    return std::nullopt;
  std::optional<int64_t> position = getConstantIntValue(op->getOperand(number));
  int64_t extent = tensor.getDimSize(number - first);
  bool isThere = position && *position >= 0 && !ShapedType::isDynamic(extent) &&
                 *position < extent;
  return isThere ? std::nullopt : std::optional<int64_t>(0);
}

struct ExtractFacts
    : ScalarOpInterface::ExternalModel<ExtractFacts, tensor::ExtractOp> {
  std::optional<int64_t> getHarmlessOperand(Operation *op,
                                            unsigned number) const {
    return harmlessPosition(op, number, 1,
                            cast<tensor::ExtractOp>(op).getTensor().getType());
  }
};

struct InsertFacts
    : ScalarOpInterface::ExternalModel<InsertFacts, tensor::InsertOp> {
  std::optional<int64_t> getHarmlessOperand(Operation *op,
                                            unsigned number) const {
    return harmlessPosition(op, number, 2,
                            cast<tensor::InsertOp>(op).getDest().getType());
  }
};

} // namespace

void registerTensorScalarModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractOp::attachInterface<ExtractFacts>(*context);
    tensor::InsertOp::attachInterface<InsertFacts>(*context);
  });
}

} // namespace npu
