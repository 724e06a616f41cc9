// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's gathers and scatters as npu.gather and npu.scatter.

#ifndef NPU_EXTERNALMODELS_TENSOR_ATPOSITIONS_H
#define NPU_EXTERNALMODELS_TENSOR_ATPOSITIONS_H

#include "mlir/IR/Builders.h"

namespace npu {

/// The tensor that a tensor.gather reads from, or a tensor.scatter writes to;
/// null of any other operation.
mlir::Value dataAtPositions(mlir::Operation *op);

/// What such an operation gives, by an npu.gather or npu.scatter. Dimensions
/// that positions are in come first: others are transposed after them. A
/// gather reads the nearest entry where a position is outside of its source, as
/// a run of it does; null where it has tensors of dynamic shape, or a source
/// without entries. A position outside of what a scatter writes to ends the run
/// with an error.
///
///   %r = tensor.gather %t[%i] gather_dims([0])
///       : (tensor<64x32xf32>, tensor<8x1xindex>) -> tensor<8x32xf32>
///   // becomes npu.gather %t at %i, with %i between 0 and 63
mlir::Value atPositions(mlir::OpBuilder &builder, mlir::Operation *op);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_ATPOSITIONS_H
