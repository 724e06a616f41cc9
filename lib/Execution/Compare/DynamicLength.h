// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a function with dynamic dimensions, all of which are the prompt length,
// callable with memory of fixed size: one compiled function serves every
// length.

#ifndef NPU_LIB_EXECUTION_COMPARE_DYNAMICLENGTH_H
#define NPU_LIB_EXECUTION_COMPARE_DYNAMICLENGTH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace npu {

/// Whether an argument has a dynamic dimension.
bool hasDynamicLength(mlir::func::FuncOp function);

/// Gives every dynamic dimension of arguments the largest of `lengths` as
/// extent. The function uses as many entries as one more argument (i64, the
/// last) says. Dynamic results become as large as they are at most at these
/// lengths; entries behind their real part are never written. An error where
/// the size of a result is not known to follow from the length.
mlir::LogicalResult takeLength(mlir::func::FuncOp function,
                               llvm::ArrayRef<int64_t> lengths);

/// The message of an assertion of the function that fails at this length and
/// would end the process. Precondition: `takeLength` has succeeded on the
/// function.
std::optional<std::string> failedAssertion(mlir::func::FuncOp function,
                                           int64_t length);

/// Refuses a slice or an insertion that is known to reach outside of its tensor
/// at this length, where it would touch memory that is not the tensor's.
/// Precondition: `takeLength` has succeeded on the function.
mlir::LogicalResult checkSlices(mlir::func::FuncOp function, int64_t length);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_DYNAMICLENGTH_H
