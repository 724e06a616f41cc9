// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a function with dynamic dimensions, all of which are the prompt length,
// callable with memory of fixed size: one compiled function serves every
// length.

#ifndef NPU_LIB_EXECUTION_PREPARE_DYNAMICLENGTH_H
#define NPU_LIB_EXECUTION_PREPARE_DYNAMICLENGTH_H

#include "npu/Execution/Prepare/PrepareEntry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace npu {

/// Whether an argument has a dynamic dimension.
bool hasDynamicLength(mlir::func::FuncOp function);

/// Gives every dynamic dimension of arguments the largest of `lengths` as
/// extent. The function uses as many entries as one more argument (i64, the
/// last) says. Dynamic results become as large as they are at most at these
/// lengths; entries after their real part are never written. An error where
/// the size of a result is not known to follow from the length. `dimensions`
/// gets all of these, unless it is null.
mlir::LogicalResult takeLength(mlir::func::FuncOp function,
                               llvm::ArrayRef<int64_t> lengths,
                               PromptDimensions *dimensions = nullptr);

/// Refuses the first length at which an assertion of the function is known to
/// fail, which would end the process, or at which a slice or an insertion is
/// known to reach outside of its tensor, where it would touch memory that is
/// not the tensor's. Preconditions: `takeLength` has succeeded on the function,
/// and there is a length.
mlir::LogicalResult checkLengths(mlir::func::FuncOp function,
                                 llvm::ArrayRef<int64_t> lengths);

} // namespace npu

#endif // NPU_LIB_EXECUTION_PREPARE_DYNAMICLENGTH_H
