// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model in every storage kind of its device, and on the CPU: kinds may
// not change a bit (docs/storage.md).

#ifndef NPU_EXECUTION_COMPARE_CHECKSTORAGE_H
#define NPU_EXECUTION_COMPARE_CHECKSTORAGE_H

#include "npu/Conversion/Compile/CompileOptions.h"
#include "npu/Execution/Compare/RunAndCompare.h"

namespace npu {

/// Compiles `module` with storage=linear, tiled2d and auto, runs each and the
/// module itself on the CPU on the same inputs, and prints how many bits
/// differ, the largest error, of results of integers the share of equal ones
/// (classes that an arg-max has found), and where kinds first part. `reference`
/// may be null: a module of the same function in other element types, which is
/// run on the CPU on the same numbers; a warning says so where less than 99.9 %
/// of a result of integers are equal. Fails where a step could not be done, or
/// where bits differ between kinds or from the CPU by more than the tolerance.
llvm::LogicalResult checkStorage(mlir::OwningOpRef<mlir::ModuleOp> module,
                                 mlir::OwningOpRef<mlir::ModuleOp> reference,
                                 const CompileOptions &compile,
                                 const RunOptions &options,
                                 llvm::raw_ostream &out);

} // namespace npu

#endif // NPU_EXECUTION_COMPARE_CHECKSTORAGE_H
