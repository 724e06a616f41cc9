// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in an order in which this machine's caches help.

#ifndef NPU_LIB_AUDIT_TRACKERRORS_LOOPORDER_H
#define NPU_LIB_AUDIT_TRACKERRORS_LOOPORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// Makes structured operations generic, and the innermost loop of those whose
/// innermost loop is a reduction the one along the last dimension of the
/// result. Each sum keeps its order, so that no bit of a result changes.
/// Example: rows, columns, terms of a matmul become rows, terms, columns.
void generalizeForSpeed(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_LIB_AUDIT_TRACKERRORS_LOOPORDER_H
