// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to a module of any phase before its function can run: what the
// function does not need goes, and its prompt length becomes an argument.

#ifndef NPU_EXECUTION_PREPARE_PREPAREENTRY_H
#define NPU_EXECUTION_PREPARE_PREPAREENTRY_H

#include "npu/Execution/Prepare/PromptLengths.h"
#include "npu/Host/PromptDimension.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// Inlines all calls of the entry: no memory can be allocated in advance for a
/// call that returns a tensor of dynamic size.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module);

/// Whether a module has operations of TOSA.
bool hasTosa(mlir::ModuleOp module);

/// Runs the first phase of npu-compile.
mlir::LogicalResult lowerModel(mlir::ModuleOp module);

/// Prepares the entry of a module: the only function, with static shapes for
/// every run of `lengths`. `takesLength` says whether the lengths of a run are
/// its last arguments now; a function without dynamic dimensions takes none. An
/// error where it needs a length and there is none, where there is a length of
/// a name that it does not have, where a constant has no data, or where the
/// function cannot run at one of the lengths. Says in `dimensions`, unless it
/// is null, which extents follow from the lengths; where the function returns
/// the extents of its results, they are its last result.
mlir::FailureOr<mlir::func::FuncOp>
prepareEntry(mlir::ModuleOp module, llvm::StringRef entry,
             const PromptLengths &lengths, bool &takesLength,
             PromptDimensions *dimensions = nullptr);

} // namespace npu

#endif // NPU_EXECUTION_PREPARE_PREPAREENTRY_H
