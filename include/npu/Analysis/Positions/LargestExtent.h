// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest value of an extent that follows from the prompt length. It is not
// always the value at the longest prompt: 17 - L falls, and so does L mod 4 at
// times.

#ifndef NPU_ANALYSIS_POSITIONS_LARGESTEXTENT_H
#define NPU_ANALYSIS_POSITIONS_LARGESTEXTENT_H

#include "mlir/IR/AffineExpr.h"

#include <optional>

namespace npu {

/// The lengths of prompts that an expression is looked at.
struct LengthRange {
  int64_t least = 1;
  int64_t most = 0;
};

/// The smallest and the largest value of an expression.
struct ExprBounds {
  int64_t least, most;
};

/// Bounds of an expression of the lengths of prompts, its symbols, at all
/// lengths in the range. Of several prompts, they may be wider than its values:
/// these may not have all their largest parts at the same lengths. Nothing
/// where no bounds are known: an overflow, a division by something that is not
/// positive, or more lengths to look at than is maxTriedLengths.
///
/// (17 - s0, 1 to 8) is 9 to 16; (s0 mod 4, 1 to 8) is 0 to 3; (s0 mod 4, 1 to
/// 2) is 1 to 2.
std::optional<ExprBounds> boundsOverLengths(mlir::AffineExpr expr,
                                            LengthRange lengths);

/// The largest value, under the same conditions.
std::optional<int64_t> largestOverLengths(mlir::AffineExpr expr,
                                          LengthRange lengths);

/// The smallest value, under the same conditions.
std::optional<int64_t> smallestOverLengths(mlir::AffineExpr expr,
                                           LengthRange lengths);

} // namespace npu

#endif // NPU_ANALYSIS_POSITIONS_LARGESTEXTENT_H
