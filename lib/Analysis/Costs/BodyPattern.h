// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few forms that the body of an operation has if a matrix engine can do it.

#ifndef NPU_LIB_ANALYSIS_COSTS_BODYPATTERN_H
#define NPU_LIB_ANALYSIS_COSTS_BODYPATTERN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// The two tensor operands, in their order, of which `op` sums up products.
/// Between, there may be conversions, and scalars (zero points) subtracted.
std::optional<std::pair<mlir::OpOperand *, mlir::OpOperand *>>
summedProduct(mlir::linalg::LinalgOp op);

/// The only tensor of which `op` combines entries, by a sum, the largest or the
/// least; null where it does anything else.
mlir::OpOperand *combinedTensor(mlir::linalg::LinalgOp op);

/// Whether `op`, on scalars or on tensors, is a sum, a difference, a product,
/// or the larger or the smaller of its two operands.
bool isEngineArithmetic(mlir::Operation *op);

/// The two tensor operands of which the body of `op` is one such operation.
std::optional<std::pair<mlir::OpOperand *, mlir::OpOperand *>>
onlyArithmetic(mlir::linalg::LinalgOp op);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_COSTS_BODYPATTERN_H
