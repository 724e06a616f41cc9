// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/ScalarOpInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {

std::optional<int64_t> harmlessOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (auto scalar = modelOf<ScalarOpInterface>(op))
    return scalar.getHarmlessOperand(number);
  // A slice of any legal size lies inside of the tensor if it begins at 0 with
  // stride 1.
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

bool hasHarmlessOperand(Operation *op) {
  return llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
    return harmlessOperand(operand).has_value();
  });
}

bool mayTrap(Operation *op) {
  return hasHarmlessOperand(op) || !isSpeculatable(op);
}

} // namespace npu
