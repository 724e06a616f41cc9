// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of buffers between which a transfer copies.

#ifndef NPU_LIB_CONVERSION_BUFFERS_TRANSFERPARTS_H
#define NPU_LIB_CONVERSION_BUFFERS_TRANSFERPARTS_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

namespace npu {

/// The part of a buffer that a box covers, in the buffer's dimensions: a
/// subview, or the buffer itself where that is the whole.
mlir::Value partOf(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value buffer, const Box &part);

/// The permutation of linalg.transpose by which the transfer's source becomes
/// its destination; nothing where both have one order.
///
/// Example: from [0, 1, 2] to [0, 2, 1] it is [0, 2, 1].
std::optional<llvm::SmallVector<int64_t>> transpositionOf(TransferOp transfer);

/// Creates, in front of a transfer between buffers, the same transfer to some
/// of its destinations only, which have these numbers.
TransferOp createOnlyTo(TransferOp transfer, llvm::ArrayRef<unsigned> dests);

/// Copies `source` to `dest`, transposed where there is a permutation.
void copyPart(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
              mlir::Value dest,
              const std::optional<llvm::SmallVector<int64_t>> &permutation);

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_TRANSFERPARTS_H
