// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operands of a structured operation count.

#ifndef NPU_INTERFACES_READSOPERAND_H
#define NPU_INTERFACES_READSOPERAND_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Whether the result depends on what `operand`, a tensor, holds: the body uses
/// it, or it is an output of which the operation writes only a part (every
/// other entry, a diagonal), the rest being what it was.
bool readsOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

} // namespace npu

#endif // NPU_INTERFACES_READSOPERAND_H
