// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Body/HarmlessOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace npu {

/// Of an operation whose operands from `first` on say an entry of a tensor.
static std::optional<int64_t>
harmlessPosition(OpOperand &operand, unsigned first, RankedTensorType tensor) {
  unsigned number = operand.getOperandNumber();
  if (number < first)
    return std::nullopt;
  std::optional<int64_t> position = getConstantIntValue(operand.get());
  int64_t extent = tensor.getDimSize(number - first);
  bool isThere = position && *position >= 0 && !ShapedType::isDynamic(extent) &&
                 *position < extent;
  return isThere ? std::nullopt : std::optional<int64_t>(0);
}

std::optional<int64_t> harmlessOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op)) {
    std::optional<int64_t> divisor = getConstantIntValue(operand.get());
    bool harmless = number == 0 || (divisor && *divisor != 0 && *divisor != -1);
    return harmless ? std::nullopt : std::optional<int64_t>(1);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return harmlessPosition(operand, 1, extract.getTensor().getType());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return harmlessPosition(operand, 2, insert.getDest().getType());
  // As many entries as wanted stand side by side at the front.
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    unsigned first = slice.getOffsetSizeAndStrideStartOperandIndex();
    unsigned offsets = slice.getOffsets().size(),
             sizes = slice.getSizes().size();
    if (number >= first && number < first + offsets)
      return 0;
    if (number >= first + offsets + sizes)
      return 1;
  }
  return std::nullopt;
}

} // namespace npu
