// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operands of a structured operation are read.

#ifndef NPU_INTERFACES_READSOPERAND_H
#define NPU_INTERFACES_READSOPERAND_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Whether the result depends on the entries of `operand`, a tensor: the body
/// uses it, or it is an output of which the operation writes only a part (every
/// other entry, a diagonal) and keeps the rest.
bool readsOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// The same where the operand's indexing map and the extents of loops are at
/// hand, which named operations compute anew whenever they are asked.
bool readsOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                  mlir::AffineMap map, llvm::ArrayRef<int64_t> loops);

} // namespace npu

#endif // NPU_INTERFACES_READSOPERAND_H
