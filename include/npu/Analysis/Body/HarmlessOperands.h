// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the region of an operation is given in padding, so that it does not
// trap on what the padding holds.

#ifndef NPU_ANALYSIS_BODY_HARMLESSOPERANDS_H
#define NPU_ANALYSIS_BODY_HARMLESSOPERANDS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// The number that an operand is given instead of its own wherever a loop
/// stands in padding: 1 for an integer divisor that may be 0 or -1, 0 for a
/// position of which it is not known that it is one of the tensor's, and for
/// where a slice begins, 1 for its stride. Nothing for all other operands.
/// Padding's content is computed, and regions are rewritten, by this rule
/// alone.
///
///     %q = arith.divsi %x, %y : i32             1 for %y
///     %q = arith.divsi %x, %c8 : i32            nothing
///     %e = tensor.extract %table[%i, %c0] : tensor<4x2xf32>   0 for %i alone
std::optional<int64_t> harmlessOperand(mlir::OpOperand &operand);

} // namespace npu

#endif // NPU_ANALYSIS_BODY_HARMLESSOPERANDS_H
