// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognition of the parts of a softmax: entries of a row minus the largest
// entry of the row, and their exponentials.

#ifndef NPU_ANALYSIS_BODY_ROWMAXIMUM_H
#define NPU_ANALYSIS_BODY_ROWMAXIMUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// The constant that every entry of a tensor is equal to; null where there is
/// none.
mlir::TypedAttr splatOf(mlir::Value tensor);

/// The reduction that computes `largest`, if the entry of `largest` that `op`
/// reads is the largest of the entries of `of` that `op` reads along `loop`: a
/// maximum of the same tensor along the dimension of `loop`, perhaps reshaped
/// by dimensions of extent 1. Null where it is not.
mlir::linalg::LinalgOp largestAlong(mlir::OpOperand &largest,
                                    mlir::OpOperand &of,
                                    mlir::linalg::LinalgOp op, unsigned loop);

/// The reduction that computes the largest entry of each row along `loop`, if
/// `sub` in the region of `op` subtracts that from an entry of an operand; else
/// null.
mlir::linalg::LinalgOp subtractedLargest(mlir::arith::SubFOp sub,
                                         mlir::linalg::LinalgOp op,
                                         unsigned loop);

/// Whether `term` in the region of `op` is the exponential of an entry minus
/// the largest entry of its row along `loop`, so that at least one term of a
/// row is 1, or all are NaN. The exponential may also be computed entry by
/// entry by the operation that defines the operand.
bool isExponentialOfRow(mlir::Value term, mlir::linalg::LinalgOp op,
                        unsigned loop);

} // namespace npu

#endif // NPU_ANALYSIS_BODY_ROWMAXIMUM_H
