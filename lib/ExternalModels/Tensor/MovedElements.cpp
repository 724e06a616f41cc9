// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/MovedElements.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

bool onlyMovesElements(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
             tensor::CastOp, tensor::ConcatOp, tensor::FromElementsOp,
             tensor::SplatOp, tensor::ExtractOp, tensor::InsertOp>(op);
}

bool saysWhere(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (isa<tensor::InsertSliceOp, tensor::InsertOp>(op))
    return number > 1;
  if (isa<tensor::ConcatOp, tensor::FromElementsOp>(op))
    return false;
  return number > 0;
}

Value elementOfRegion(Operation *op) {
  if (!isa<tensor::PadOp, tensor::GenerateOp>(op))
    return {};
  return op->getRegion(0).front().getTerminator()->getOperand(0);
}

bool makesUnwritten(Operation *op) { return isa<tensor::EmptyOp>(op); }

} // namespace npu
