// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings a module of any phase to one that can be compiled: a plain function, a
// tile program, or either of them on buffers.

#ifndef NPU_EXECUTION_JIT_TOEXECUTABLE_H
#define NPU_EXECUTION_JIT_TOEXECUTABLE_H

#include "npu/Conversion/Phases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// The function that is run where none is asked for: 'main', or else the only
/// public function with a body, or else the only function with a body. An error
/// at the module where there is no such function.
mlir::FailureOr<mlir::func::FuncOp> mainFunctionOf(mlir::ModuleOp module);

/// The function named `entry`, if it has a body; otherwise an error at the
/// module that lists the functions there are.
mlir::FailureOr<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                              llvm::StringRef entry);

/// The function that a tool runs, audits or compiles, ready for it: `entry`, or
/// without a name the function that `mainFunctionOf` chooses. Where a program
/// stands around the model (printing, or calls of functions without a body),
/// `npu-isolate-computation` takes it off with a remark, and a `main` that
/// takes no tensors is part of that program: the only public function that
/// takes some is the model then. Every tool asks here, before it looks at
/// devices, so that all of them find one function in one file. The module may
/// change; an error is reported.
mlir::FailureOr<mlir::func::FuncOp> takeEntry(mlir::ModuleOp module,
                                              llvm::StringRef entry);

/// Makes every function but `entry` private and drops those that `entry` does
/// not reach, so that they need not be compilable. Functions that it reaches
/// need a body.
mlir::LogicalResult keepReachable(mlir::ModuleOp module,
                                  mlir::func::FuncOp entry);

/// Refuses constants that refer to data which the module does not have
/// (`dense_resource` without a blob, as in a file that was printed with elided
/// constants), or not as much as their types need.
mlir::LogicalResult checkConstants(mlir::ModuleOp module);

/// Strips all layouts, so that the module computes what it did before tensors
/// were distributed. Fails on tile programs.
mlir::LogicalResult toReference(mlir::ModuleOp module);

/// Verifies layouts and lowers them to tiles. Modules of the other phases stay
/// as they are.
mlir::LogicalResult toExecutable(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_EXECUTION_JIT_TOEXECUTABLE_H
