// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random results of indexing maps: positions in a dimension of an operand at a
// point of the loops.

#ifndef NPU_FUZZ_FUNCTIONS_RANDOMINDEX_H
#define NPU_FUZZ_FUNCTIONS_RANDOMINDEX_H

#include "npu-fuzz/Plans/RandomPlacements.h"

#include "mlir/IR/AffineExpr.h"

#include <optional>
#include <span>

namespace npu {

/// The value of an expression of loops alone.
int64_t valueAt(mlir::AffineExpr index, std::span<const int64_t> point);

/// A range that contains all values of the index; that of a plain loop is the
/// whole range of the loop. Precondition: no loop is empty.
Range valuesOf(mlir::AffineExpr index, std::span<const int64_t> loopExtents);

/// How many forms of indices there are.
inline constexpr int64_t kIndexForms = 13;

/// A random index of any form, over at least one loop, with numbers that make a
/// difference and mostly no negative values over loops of these extents.
mlir::AffineExpr randomIndex(RandomNumbers &random,
                             std::span<const int64_t> loopExtents,
                             mlir::MLIRContext *context);

/// A random index whose values lie below `extent`; nothing after some tries.
std::optional<mlir::AffineExpr>
randomIndexWithin(RandomNumbers &random, std::span<const int64_t> loopExtents,
                  int64_t extent, mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_RANDOMINDEX_H
