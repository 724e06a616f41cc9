// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/HarmlessOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace npu {

std::optional<int64_t> harmlessOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op)) {
    std::optional<int64_t> divisor = getConstantIntValue(operand.get());
    bool harmless = number == 0 || (divisor && *divisor != 0 && *divisor != -1);
    return harmless ? std::nullopt : std::optional<int64_t>(1);
  }
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (!extract || number == 0)
    return std::nullopt;
  std::optional<int64_t> position = getConstantIntValue(operand.get());
  int64_t extent = extract.getTensor().getType().getDimSize(number - 1);
  bool isThere = position && *position >= 0 && !ShapedType::isDynamic(extent) &&
                 *position < extent;
  return isThere ? std::nullopt : std::optional<int64_t>(0);
}

} // namespace npu
