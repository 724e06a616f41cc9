// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations only permute dimensions, whatever they are called.

#ifndef NPU_ANALYSIS_ACCESS_TRANSPOSES_H
#define NPU_ANALYSIS_ACCESS_TRANSPOSES_H

#include "npu/Placement/Distributions/Order.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace npu {

/// A permutation of logical dimensions: dimension o of the result is dimension
/// `inputDims[o]` of the input.
struct LogicalPermutation {
  mlir::Value input;
  Permutation inputDims;
};

/// The permutation that `op` is: a structured operation that moves each entry
/// of its only input and computes nothing, or a permute_cast. Nothing for other
/// operations, for ranks above kMaxRank and for encodings that are no layouts.
/// Example: `linalg.transpose ins(%x) outs(%e) permutation = [1, 0, 2]` has the
/// input dimensions [1, 0, 2].
std::optional<LogicalPermutation> matchTranspose(mlir::Operation *op);

} // namespace npu

#endif // NPU_ANALYSIS_ACCESS_TRANSPOSES_H
