// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions that a lookup computes in its body, computed by an operation of
// their own, and lookups that are gathers.

#ifndef NPU_LIB_PREPROCESS_KERNELS_LOOKUPS_H
#define NPU_LIB_PREPROCESS_KERNELS_LOOKUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// A lookup whose positions are tensors.
struct LookupAtTensors {
  mlir::linalg::GenericOp op;
  /// The structured operations that compute its positions.
  llvm::SmallVector<mlir::linalg::GenericOp> positions;
  /// The largest number of entries that they are positions among.
  int64_t entries = 0;
};

/// Builds in front of a lookup the operations that compute its positions, and a
/// lookup that reads their results, of the type that `typeFor` gives for the
/// numbers 0 to the given one; a position outside of its dimension becomes the
/// number of that dimension's entries. Nothing is built where positions can
/// only be computed where they are used, or where a type is null.
std::optional<LookupAtTensors>
computePositionsApart(mlir::OpBuilder &builder, mlir::linalg::GenericOp lookup,
                      llvm::function_ref<mlir::Type(int64_t)> typeFor);

/// Builds what stands for the lookup's result in front of it, an npu.gather
/// from its table; null where the lookup is none.
///
/// Example: a lookup of 3 rows of a table that has 50, `table[rows[i], j]`,
/// becomes
///
///     %positions = linalg.generic ins(%rows : tensor<3xi64>) ...
///         -> tensor<3x1xi64>
///     %result = npu.gather %table at %positions
///         : tensor<50x8xf16>, tensor<3x1xi64> -> tensor<3x8xf16>
mlir::Value asGather(mlir::OpBuilder &builder, mlir::linalg::GenericOp lookup,
                     mlir::Type element);

/// The table of a lookup that reads one entry of one table for each of its
/// result; null of any other operation.
mlir::Value onlyTableOf(mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_KERNELS_LOOKUPS_H
