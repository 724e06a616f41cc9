// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmaxes, as they are written: something minus the largest of its row.

#ifndef NPU_LIB_ANALYSIS_ROWMAXIMUM_H
#define NPU_LIB_ANALYSIS_ROWMAXIMUM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// The constant that all of a tensor's entries are; null for none.
mlir::TypedAttr splatOf(mlir::Value tensor);

/// True when `largest`, as `op` reads it, is no entry of `of` smaller than any
/// of those that `op` reads along `loop` for it: the largest along that
/// dimension of the same tensor, taken by a reduction, perhaps with dimensions
/// of extent 1.
bool isLargestAlong(mlir::OpOperand &largest, mlir::OpOperand &of,
                    mlir::linalg::LinalgOp op, unsigned loop);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_ROWMAXIMUM_H
