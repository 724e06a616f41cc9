// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a program that can be compiled at the same time.

#ifndef NPU_EXECUTION_JIT_SPLITPROGRAM_H
#define NPU_EXECUTION_JIT_SPLITPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace npu {

/// Splits a module in the LLVM dialect into modules that refer to each other's
/// symbols, each of functions that have about `operations` operations together.
/// Functions stay in their order, a function stays whole, and the first module
/// has all globals, so that the parts follow from the module alone. Functions
/// and globals are taken from the module, and can be seen from outside of
/// theirs. A module that is no larger is the only part.
///
/// Example: of functions of 700, 200 and 900 operations, 1000 operations are
/// wanted; the first two are one part, and the third is another.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
splitProgram(mlir::ModuleOp module, int64_t operations);

} // namespace npu

#endif // NPU_EXECUTION_JIT_SPLITPROGRAM_H
