// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a module may name a device.

#ifndef NPU_LIB_DIALECT_NPU_IR_CHECKDEVICE_H
#define NPU_LIB_DIALECT_NPU_IR_CHECKDEVICE_H

#include "npu/Placement/Result.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// Nothing wrong with a device string in a module, or why it means nothing
/// there: the name of the device that the module describes may stand in it, and
/// no other target's beside it.
Result<> checkDeviceOf(mlir::Operation *module, llvm::StringRef text);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_IR_CHECKDEVICE_H
