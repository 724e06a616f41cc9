// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program note which operations it executes. Locations say which row of
// the placement report an operation was lowered from, because every rewrite
// keeps them; the memory of its buffers says where it runs.

#ifndef NPU_EXECUTION_JIT_NOTEEXECUTIONS_H
#define NPU_EXECUTION_JIT_NOTEEXECUTIONS_H

#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Execution/Jit/ExecutionRecord.h"

namespace npu {

/// The function that compiled programs call with the address of a record, or 0,
/// and the number of a site in it.
inline constexpr llvm::StringLiteral noteExecutionName = "npu_note_execution";

/// The variable of a compiled program that holds the address of its record, an
/// i64. It is 0 until somebody wants to know what is executed.
inline constexpr llvm::StringLiteral recordName = "npu_execution_record";

/// Writes the number of its row into the location of each row's operation, and
/// into the locations of all others that they are no row. Precondition: the
/// table is of this module, which has not changed since.
void writeRowsIntoLocations(mlir::ModuleOp module, const DeviceTable &table);

/// Puts a call beside every operation on buffers that comes from a row, and
/// beside every structured one that comes from nothing, and adds a site to the
/// record for each. The calls change no bit of any result.
void noteExecutions(mlir::ModuleOp module, ExecutionRecord &record);

} // namespace npu

#endif // NPU_EXECUTION_JIT_NOTEEXECUTIONS_H
