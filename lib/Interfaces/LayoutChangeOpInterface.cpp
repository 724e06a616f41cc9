// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/LayoutChangeOpInterface.h"

#include "npu/Interfaces/LayoutChangeOpInterface.cpp.inc"

namespace npu {

bool keepsIndices(mlir::Operation *op) {
  auto change = mlir::dyn_cast_or_null<LayoutChangeOpInterface>(op);
  return change && change.keepsIndices();
}

} // namespace npu
