// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a run was what the placement report says.

#ifndef NPU_LIB_EXECUTION_COMPARE_CHECKPLACEMENT_H
#define NPU_LIB_EXECUTION_COMPARE_CHECKPLACEMENT_H

#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Execution/Jit/ExecutionRecord.h"

namespace npu {

/// Writes into each row how often it was executed, and returns a sentence for
/// everything that is not as the report says: a row that was executed on
/// another device, never, too seldom or too often, and an execution that no row
/// stands for. `runs` is how often the entry function ran. A row with several
/// sites was executed as often as its busiest one.
std::vector<std::string>
checkPlacement(DeviceTable &table, const ExecutionRecord &record, int64_t runs);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_CHECKPLACEMENT_H
