// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/AddedValue.h"

using namespace mlir;

namespace npu {

Value addedValue(OpBuilder &builder, tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  Operation *made = value ? value.getDefiningOp() : nullptr;
  if (!made || !pad->isProperAncestor(made))
    return value;
  return builder.clone(*made)->getResult(
      cast<OpResult>(value).getResultNumber());
}

} // namespace npu
