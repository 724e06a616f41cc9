// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affine expressions that are sums of multiples of loops.

#ifndef NPU_INTERFACES_LINEARFORM_H
#define NPU_INTERFACES_LINEARFORM_H

#include "mlir/IR/AffineExpr.h"

#include <map>
#include <optional>

namespace npu {

/// The sum factor * loop + ... + offset.
struct LinearForm {
  /// The factor of each loop that the sum has.
  std::map<unsigned, int64_t> factors;
  int64_t offset = 0;
};

/// The linear form of `expr`; nothing for expressions with a division or a
/// remainder.
std::optional<LinearForm> asLinearForm(mlir::AffineExpr expr);

} // namespace npu

#endif // NPU_INTERFACES_LINEARFORM_H
