// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may trap, or have no defined result, and what it is given in padding, so
// that it does not trap on what the padding holds.

#ifndef NPU_INTERFACES_HARMLESSOPERANDS_H
#define NPU_INTERFACES_HARMLESSOPERANDS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// The number that an operand is given instead of its own wherever a loop
/// stands in padding, as its operation says (ScalarOpInterface): 1 for an
/// integer divisor that may be 0 or, if it is signed, -1; 0 for a position of
/// which it is not known that it is one of the tensor's, and for where a slice
/// begins, 1 for its stride. Nothing for all other operands. Padding's content
/// is computed, and regions are rewritten, by this rule alone.
///
///     %q = arith.divsi %x, %y : i32             1 for %y
///     %q = arith.divsi %x, %c8 : i32            nothing
///     %e = tensor.extract %table[%i, %c0] : tensor<4x2xf32>   0 for %i alone
std::optional<int64_t> harmlessOperand(mlir::OpOperand &operand);

/// Some operand of `op` has one.
bool hasHarmlessOperand(mlir::Operation *op);

/// True for an operation that must not be run on any values, because it may
/// trap or have no defined result: one with a harmless operand, and what
/// upstream does not call speculatable.
bool mayTrap(mlir::Operation *op);

} // namespace npu

#endif // NPU_INTERFACES_HARMLESSOPERANDS_H
