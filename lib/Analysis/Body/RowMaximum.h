// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmaxes, as they are written: something minus the largest of its row.

#ifndef NPU_LIB_ANALYSIS_BODY_ROWMAXIMUM_H
#define NPU_LIB_ANALYSIS_BODY_ROWMAXIMUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// The constant that all of a tensor's entries are; null for none.
mlir::TypedAttr splatOf(mlir::Value tensor);

/// The reduction that takes `largest`, as `op` reads it, where that is no
/// number smaller than any entry of `of` that `op` reads along `loop` for it:
/// the largest along that dimension of the same tensor, perhaps with dimensions
/// of extent 1. Null where it is not.
mlir::linalg::LinalgOp largestAlong(mlir::OpOperand &largest,
                                    mlir::OpOperand &of,
                                    mlir::linalg::LinalgOp op, unsigned loop);

/// The same where `sub` in the region of `op` subtracts from an entry of one
/// operand the largest of its row along `loop`.
mlir::linalg::LinalgOp subtractedLargest(mlir::arith::SubFOp sub,
                                         mlir::linalg::LinalgOp op,
                                         unsigned loop);

/// True when `term` in the region of `op` is, along `loop`, the exponential of
/// what is left of a row's entries without the largest of them: at least one of
/// a row is 1, or all are NaN. The exponential may be taken by the operation
/// that made the operand, entry by entry.
bool isExponentialOfRow(mlir::Value term, mlir::linalg::LinalgOp op,
                        unsigned loop);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_BODY_ROWMAXIMUM_H
