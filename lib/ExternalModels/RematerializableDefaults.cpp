// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Defaults.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// The model of structured operations that compute their result from scalars
/// and positions alone.
struct StructuredRematerialization
    : RematerializableOpInterface::FallbackModel<StructuredRematerialization> {
  DataNeed getDataNeed(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    bool readsNone =
        op->getNumResults() == 1 && structured.hasPureTensorSemantics() &&
        llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
          return isa<TensorType>(operand.get().getType()) &&
                 readsOperand(structured, operand);
        });
    if (!readsNone)
      return DataNeed::Computed;
    return structured.hasIndexSemantics() ? DataNeed::Positions
                                          : DataNeed::Uniform;
  }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    if (getDataNeed(op) == DataNeed::Computed)
      return failure();
    SmallVector<Value> operands(op->getOperands());
    OpOperand *output = cast<linalg::LinalgOp>(op).getDpsInitOperand(0);
    operands[output->getOperandNumber()] =
        tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    return clone(builder, op, TypeRange{type}, operands)->getResult(0);
  }

  Value getUniformValue(Operation *op) const {
    auto fill = dyn_cast<linalg::FillOp>(op);
    return fill ? fill.getInputs()[0] : Value();
  }
};

} // namespace

void attachRematerializableDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::LinalgOp>())
    name.attachInterface<StructuredRematerialization>();
}

} // namespace npu
