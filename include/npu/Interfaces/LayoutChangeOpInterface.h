// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of operations that change the layout of a tensor; the .td file
// describes it.

#ifndef NPU_INTERFACES_LAYOUTCHANGEOPINTERFACE_H
#define NPU_INTERFACES_LAYOUTCHANGEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include "npu/Interfaces/LayoutChangeOpInterface.h.inc"

namespace npu {

/// Whether `op` changes a layout and its result has each element at the same
/// indices. False for null.
bool keepsIndices(mlir::Operation *op);

} // namespace npu

#endif // NPU_INTERFACES_LAYOUTCHANGEOPINTERFACE_H
