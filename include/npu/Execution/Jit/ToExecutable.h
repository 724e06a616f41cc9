// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From whatever phase a module is in to one that can be compiled: a plain
// function, a tile program, or either of them on buffers.

#ifndef NPU_EXECUTION_JIT_TOEXECUTABLE_H
#define NPU_EXECUTION_JIT_TOEXECUTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace npu {

enum class Phase { Plain, Layouts, TileProgram, Buffers };

/// The phase that the function and what it calls are in.
Phase phaseOf(mlir::ModuleOp module);

/// The function of that name with a body; otherwise an error, said at the
/// module, that lists the functions there are.
mlir::FailureOr<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                              llvm::StringRef entry);

/// Makes every other function private and drops those that `entry` does not
/// reach, so that nothing is asked of them. What it reaches needs a body.
mlir::LogicalResult keepReachable(mlir::ModuleOp module,
                                  mlir::func::FuncOp entry);

/// The function as if nothing had been distributed. Refuses tile programs.
mlir::LogicalResult toReference(mlir::ModuleOp module);

/// Layouts are verified and lowered to tiles; the other phases stay as they
/// are.
mlir::LogicalResult toExecutable(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_EXECUTION_JIT_TOEXECUTABLE_H
