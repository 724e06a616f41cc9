// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the names of dimensions say (npu.dim_names): which are prompts of one
// length, and which are as long as several prompts together.

#ifndef NPU_DIALECT_NPU_IR_DIMENSIONNAMES_H
#define NPU_DIALECT_NPU_IR_DIMENSIONNAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// What the model calls a dimension of an argument; empty where it says
/// nothing.
llvm::StringRef nameOfDimension(mlir::FunctionOpInterface function,
                                unsigned argument, int64_t dim);

/// What the name of a dimension adds up, names and numbers: "past" and "new" of
/// "past + new", "past" and "1" of "past + 1"; the name alone where it is no
/// sum.
llvm::SmallVector<llvm::StringRef> namesInSum(llvm::StringRef name);

/// The name that model builders give a dimension for a cache and new entries
/// together, and the sum that it stands for.
inline constexpr llvm::StringLiteral totalLengthName = "total_sequence_length",
                                     totalLengthSum = "past_sequence_length + "
                                                      "sequence_length";

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_DIMENSIONNAMES_H
