// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an extent that follows the prompt length is at most. That is not what it
// is at the longest prompt: 17 - L falls, and L mod 4 does either.

#ifndef NPU_ANALYSIS_POSITIONS_LARGESTEXTENT_H
#define NPU_ANALYSIS_POSITIONS_LARGESTEXTENT_H

#include "mlir/IR/AffineExpr.h"

#include <optional>

namespace npu {

/// The largest value of an expression of symbol 0 over all prompt lengths from
/// 1 to `maxLength`. Nothing where that is not known: an overflow, a division
/// by something that is not positive, or more lengths to look at than is
/// bearable.
///
/// (17 - s0, 8) is 16; (s0 mod 4, 8) is 3; (s0 mod 4, 2) is 2.
std::optional<int64_t> largestOverLengths(mlir::AffineExpr expr,
                                          int64_t maxLength);

/// The smallest one, likewise.
std::optional<int64_t> smallestOverLengths(mlir::AffineExpr expr,
                                           int64_t maxLength);

} // namespace npu

#endif // NPU_ANALYSIS_POSITIONS_LARGESTEXTENT_H
