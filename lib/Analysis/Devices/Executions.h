// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often an operation runs, as far as loops and branches around it tell.

#ifndef NPU_LIB_ANALYSIS_DEVICES_EXECUTIONS_H
#define NPU_LIB_ANALYSIS_DEVICES_EXECUTIONS_H

#include "npu/Analysis/Devices/DeviceTable.h"

namespace npu {

/// How often `op` runs while `entry`, a function of the module, runs once;
/// while each public function does where it is empty. A loop whose trip count
/// is constant counts as often; other loops may run any number of times, and a
/// branch may not run at all.
Executions executionsOf(mlir::Operation *op, llvm::StringRef entry);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_DEVICES_EXECUTIONS_H
