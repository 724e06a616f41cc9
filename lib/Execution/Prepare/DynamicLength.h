// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a function with dynamic dimensions, which are lengths of prompts,
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

/// Gives every dynamic dimension of arguments the largest of its `lengths` as
/// extent. The function uses as many entries as one more argument (i64) says;
/// these arguments are the last, one for each length of a run. Dynamic results
/// become as large as they are at most at these
/// lengths; entries after their real part are never written. An error where
/// the size of a result is not known to follow from the length. `dimensions`
/// gets all of these, unless it is null, those of results where the function
/// returns their extents.
mlir::LogicalResult takeLength(mlir::func::FuncOp function,
                               const PromptLengths &lengths,
                               PromptDimensions *dimensions = nullptr);

/// Refuses the first run in which an assertion of the function is known to
/// fail, which would end the process (where these are left to the run, only if
/// one fails in every run), or in which a slice or an insertion is
/// known to reach outside of its tensor, or operands of an operation to have
/// unequal extents, where it would touch memory that is not the tensor's.
/// Preconditions: `takeLength` has succeeded on the function,
/// and there is a length.
mlir::LogicalResult checkLengths(mlir::func::FuncOp function,
                                 const PromptLengths &lengths);

} // namespace npu

#endif // NPU_LIB_EXECUTION_PREPARE_DYNAMICLENGTH_H
