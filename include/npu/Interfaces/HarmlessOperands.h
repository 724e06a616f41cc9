// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations may trap or have no defined result, and which operands they
// are given at padded positions so that they do not.

#ifndef NPU_INTERFACES_HARMLESSOPERANDS_H
#define NPU_INTERFACES_HARMLESSOPERANDS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// The number that replaces an operand at every padded position of a loop, as
/// the operation says (ScalarOpInterface): 1 for an integer divisor that may be
/// 0 or, if it is signed, -1; 0 for a position that is not known to lie inside
/// of its tensor, and for the offset of a slice; 1 for the stride of a slice.
/// Nothing for all other operands. The analysis of what padding contains and
/// the rewriting of regions both follow this rule.
///
///     %q = arith.divsi %x, %y : i32             1 for %y
///     %q = arith.divsi %x, %c8 : i32            nothing
///     %e = tensor.extract %table[%i, %c0] : tensor<4x2xf32>   0 for %i alone
std::optional<int64_t> harmlessOperand(mlir::OpOperand &operand);

/// Whether some operand of `op` has a harmless number.
bool hasHarmlessOperand(mlir::Operation *op);

/// Whether `op` must not be run on arbitrary values, because it may trap or
/// have no defined result: an operation with a harmless operand, or one that is
/// not speculatable by upstream's interface.
bool mayTrap(mlir::Operation *op);

} // namespace npu

#endif // NPU_INTERFACES_HARMLESSOPERANDS_H
