// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions of the interfaces that need no code of their own.

#include "npu/Interfaces/CausalOpInterface.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/LayoutChangeOpInterface.h"
#include "npu/Interfaces/ScalarOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Interfaces/WorkOpInterface.h"

#include "npu/Interfaces/CausalOpInterface.cpp.inc"
#include "npu/Interfaces/EntryReadOpInterface.cpp.inc"
#include "npu/Interfaces/LayoutChangeOpInterface.cpp.inc"
#include "npu/Interfaces/ScalarOpInterface.cpp.inc"
#include "npu/Interfaces/StructuredFormOpInterface.cpp.inc"
#include "npu/Interfaces/WorkOpInterface.cpp.inc"

namespace npu {

bool keepsIndices(mlir::Operation *op) {
  auto change = mlir::dyn_cast_or_null<LayoutChangeOpInterface>(op);
  return change && change.keepsIndices();
}

} // namespace npu
