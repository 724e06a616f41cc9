// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/RematerializableOpInterface.h"

#include "npu/Interfaces/ModelOf.h"

#include "npu/Interfaces/RematerializableOpInterface.cpp.inc"

namespace npu {

static RematerializableOpInterface modelOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op ? modelOf<RematerializableOpInterface>(op)
            : RematerializableOpInterface();
}

mlir::Value uniformValueOf(mlir::Value value) {
  RematerializableOpInterface model = modelOf(value);
  return model ? model.getUniformValue() : mlir::Value();
}

DataNeed dataNeedOf(mlir::Value value) {
  RematerializableOpInterface model = modelOf(value);
  return model ? model.getDataNeed() : DataNeed::Computed;
}

bool needsNoData(mlir::Operation *op) {
  return op->getNumResults() == 1 &&
         dataNeedOf(op->getResult(0)) != DataNeed::Computed;
}

} // namespace npu
