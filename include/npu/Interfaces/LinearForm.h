// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affine expressions that are sums of multiples of loops, and among them
// windows.

#ifndef NPU_INTERFACES_LINEARFORM_H
#define NPU_INTERFACES_LINEARFORM_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

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

/// A window that slides over a dimension: output * stride + tap * dilation +
/// offset, with one loop for outputs and one, a reduction, for taps.
struct WindowForm {
  unsigned output, tap;
  int64_t stride, dilation;
  int64_t offset;
};

/// The window that `expr` is; nothing for other expressions, and for windows
/// that slide backwards.
std::optional<WindowForm> asWindow(mlir::AffineExpr expr,
                                   llvm::ArrayRef<unsigned> reductionLoops);

} // namespace npu

#endif // NPU_INTERFACES_LINEARFORM_H
