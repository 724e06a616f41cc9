// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/PartwiseOpInterface.h"

#include "npu/Interfaces/ModelOf.h"

#include "npu/Interfaces/PartwiseOpInterface.cpp.inc"

namespace npu {

std::optional<OpAccess> OpAccess::get(mlir::Operation *op) {
  auto model = modelOf<PartwiseOpInterface>(op);
  return model ? model.getAccess() : std::nullopt;
}

} // namespace npu
