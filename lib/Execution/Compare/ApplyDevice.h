// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a file run on the device that was asked for, or says why it does not.

#ifndef NPU_LIB_EXECUTION_COMPARE_APPLYDEVICE_H
#define NPU_LIB_EXECUTION_COMPARE_APPLYDEVICE_H

#include "npu/Execution/Compare/RunAndCompare.h"

namespace npu {

/// Finds the device by command line, file and environment. Where nobody names
/// one, the module runs as it is. Otherwise, on the CPU it loses its layouts;
/// on the NPU `onNpu` becomes true, so that an operation that computes on the
/// CPU is an error; and a target that the device names becomes that of the
/// scratchpads. An error at the module where its program is for another target,
/// or is cut into tiles and is to run on the CPU.
mlir::LogicalResult applyDevice(mlir::ModuleOp module, llvm::StringRef entry,
                                RunOptions &options);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_APPLYDEVICE_H
