// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/RemakeableOpInterface.h"

#include "npu/Interfaces/ModelOf.h"

#include "npu/Interfaces/RemakeableOpInterface.cpp.inc"

namespace npu {

DataNeed dataNeedOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  auto model =
      op ? modelOf<RemakeableOpInterface>(op) : RemakeableOpInterface();
  return model ? model.getDataNeed() : DataNeed::Computed;
}

} // namespace npu
