// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations divide integers or indices: processors trap on some of
// their operands.

#ifndef NPU_LIB_CONVERSION_TOLLVM_DIVISIONS_H
#define NPU_LIB_CONVERSION_TOLLVM_DIVISIONS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Whether the operation gives the quotient or the remainder of integers or
/// indices, and so is not defined for a divisor of 0. Upstream's own question
/// (isPure) says of remainders, and of quotients that are rounded down, that
/// they are defined for every operand.
bool isDivision(mlir::Operation *op);

/// Whether the operation gives a remainder of signed numbers.
bool isSignedRemainder(mlir::Operation *op);

/// Whether the smallest number divided by -1 is asked for its quotient, which
/// does not fit, or for its remainder, which is 0.
bool isSignedDivision(mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOLLVM_DIVISIONS_H
