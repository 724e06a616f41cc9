// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters whose positions are known when a model is compiled.

#ifndef NPU_LIB_PREPROCESS_KERNELS_CONSTANTPOSITIONS_H
#define NPU_LIB_PREPROCESS_KERNELS_CONSTANTPOSITIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Makes constants of positions that are computed of loops and constants alone,
/// as those of a slice with an offset and a step, and slices of operations
/// whose positions then form one. Long lists of positions stay as they are.
void foldPositions(mlir::ModuleOp module);

/// An error at the first operation that surely runs and has constant positions
/// outside of what they index. In a branch or a loop, a run says so.
llvm::LogicalResult verifyConstantPositions(mlir::ModuleOp module);

/// The result of a gather or scatter at few constant positions by one slice for
/// each, built in front of `op`, and the number of slices; a null value where
/// positions are not constant, or many.
std::pair<mlir::Value, int64_t> sliceBySlice(mlir::OpBuilder &builder,
                                             mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_KERNELS_CONSTANTPOSITIONS_H
