// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations that write their result over an operand, so that a
// tile needs one buffer for both: a norm of 128x3584 over what it normalizes.

#ifndef NPU_ANALYSIS_CHOICES_WRITESOVER_H
#define NPU_ANALYSIS_CHOICES_WRITESOVER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Whether the operation may write its output over the input, on tensors as on
/// buffers, where nobody reads the input afterwards: it is elementwise, and
/// reads of the input the entry that it writes, and no other.
bool mayWriteOver(mlir::linalg::LinalgOp op, mlir::OpOperand &output,
                  mlir::Value input);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_WRITESOVER_H
