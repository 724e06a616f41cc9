// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/PartwiseOpInterface.h"

#include "npu/Interfaces/ModelOf.h"

#include "npu/Interfaces/PartwiseOpInterface.cpp.inc"

namespace npu {

mlir::Value viewedTensor(mlir::Operation *op) {
  auto model = modelOf<PartwiseOpInterface>(op);
  if (!model)
    return {};
  llvm::SmallVector<unsigned> copied = model.copiedOperands();
  // A concatenation of one tensor is that tensor.
  return copied.size() == 1 ? op->getOperand(copied.front()) : mlir::Value();
}

mlir::Value writtenOver(mlir::Operation *op) {
  auto model = modelOf<PartwiseOpInterface>(op);
  mlir::OpOperand *output =
      model && op->getNumResults() == 1 ? tiedOutput(op, 0) : nullptr;
  return output && llvm::is_contained(model.copiedOperands(),
                                      output->getOperandNumber())
             ? output->get()
             : mlir::Value();
}

std::optional<OpAccess> OpAccess::get(mlir::Operation *op) {
  if (op->getDiscardableAttr(hostAttrName))
    return std::nullopt;
  auto model = modelOf<PartwiseOpInterface>(op);
  return model ? model.getAccess() : std::nullopt;
}

} // namespace npu
