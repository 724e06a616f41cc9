// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with dynamic dimensions, all of them the prompt length, made
// callable with memory of fixed size: one compiled function serves every
// length.

#ifndef NPU_LIB_EXECUTION_COMPARE_DYNAMICLENGTH_H
#define NPU_LIB_EXECUTION_COMPARE_DYNAMICLENGTH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace npu {

/// True when an argument has a dynamic dimension.
bool hasDynamicLength(mlir::func::FuncOp function);

/// Every dynamic dimension of arguments becomes `maxLength`, of which the
/// function uses as many entries as one more argument (i64, the last) says.
/// Dynamic results become as large as they are at `maxLength`; what is behind
/// their real part is never written. An error where the size of a result is not
/// known to follow from the length.
mlir::LogicalResult takeLength(mlir::func::FuncOp function,
                               llvm::ArrayRef<int64_t> lengths);

/// The message of an assertion that fails at this length, of a function that
/// `takeLength` has seen: run, it would end the process.
std::optional<std::string> failedAssertion(mlir::func::FuncOp function,
                                           int64_t length);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_DYNAMICLENGTH_H
