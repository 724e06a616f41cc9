// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement report of an artefact and the places of its code where
// executions are counted, so that a run can be held against the report.

#ifndef NPU_EXECUTION_OBJECT_PLACEMENTJSON_H
#define NPU_EXECUTION_OBJECT_PLACEMENTJSON_H

#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Execution/Jit/ExecutionRecord.h"
#include "npu/Placement/Result.h"

namespace npu {

/// {"rows": [...], "sites": [{"row", "devices", "name", "location"}, ...]}.
/// Rows have the fields of npu-print-placement's, and the function. A device is
/// the number of a tile, or null for the CPU.
std::string placementToJson(const DeviceTable &table,
                            const ExecutionRecord &record);

/// Reads rows and sites. An error names the field that is wrong.
Result<> placementFromJson(llvm::StringRef text, DeviceTable &table,
                           ExecutionRecord &record);

} // namespace npu

#endif // NPU_EXECUTION_OBJECT_PLACEMENTJSON_H
