// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element of a structured operation's result, with what it is computed
// from.

#ifndef NPU_LIB_AUDIT_SHRINK_H
#define NPU_LIB_AUDIT_SHRINK_H

#include "Known.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// Rewrites a function around one structured operation, whose result it
/// returns, to compute the element at `at` alone, and takes the same parts of
/// `operands`. Changes nothing where a map is more than a choice of loops, or
/// the body asks for positions. Returns whether it has. Example: of a matmul,
/// one row of the left and one column of the right operand are left.
bool shrinkTo(mlir::func::FuncOp function, const std::vector<int64_t> &at,
              std::vector<Known> &operands);

} // namespace npu

#endif // NPU_LIB_AUDIT_SHRINK_H
