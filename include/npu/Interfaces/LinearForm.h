// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affine expressions that are sums of multiples of loops.

#ifndef NPU_INTERFACES_LINEARFORM_H
#define NPU_INTERFACES_LINEARFORM_H

#include "mlir/IR/AffineExpr.h"

#include <map>
#include <optional>

namespace npu {

/// factor * loop + ... + offset.
struct LinearForm {
  /// By loop.
  std::map<unsigned, int64_t> factors;
  int64_t offset = 0;
};

/// Nothing for expressions with a division or a remainder.
std::optional<LinearForm> asLinearForm(mlir::AffineExpr expr);

} // namespace npu

#endif // NPU_INTERFACES_LINEARFORM_H
