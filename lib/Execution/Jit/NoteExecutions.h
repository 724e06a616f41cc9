// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program note which operations it executes. Locations say which row of
// the placement report an operation was lowered from, because every rewrite
// keeps them; the memory of its buffers says where it runs.

#ifndef NPU_LIB_EXECUTION_JIT_NOTEEXECUTIONS_H
#define NPU_LIB_EXECUTION_JIT_NOTEEXECUTIONS_H

#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Execution/Jit/ExecutionRecord.h"

namespace npu {

/// The name of the function that compiled programs call, with the address of a
/// site.
inline constexpr llvm::StringLiteral noteExecutionName = "npu_note_execution";

/// Writes the number of its row into the location of each row's operation, and
/// into the locations of all others that they are no row. Precondition: the
/// table is of this module, which has not changed since.
void writeRowsIntoLocations(mlir::ModuleOp module, const DeviceTable &table);

/// Puts a call beside every operation on buffers that comes from a row, and
/// beside every structured one that comes from nothing, and adds a site to the
/// record for each. The calls change no bit of any result. The record has to
/// outlive the program.
void noteExecutions(mlir::ModuleOp module, ExecutionRecord &record);

} // namespace npu

#endif // NPU_LIB_EXECUTION_JIT_NOTEEXECUTIONS_H
