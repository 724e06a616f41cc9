// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest tensors that are counted. Bytes, bits and costs are sums and
// products of 64-bit numbers everywhere; what is larger is refused before
// anything is computed from it.

#ifndef NPU_DIALECT_NPU_IR_TENSORSIZES_H
#define NPU_DIALECT_NPU_IR_TENSORSIZES_H

#include "mlir/IR/Operation.h"

namespace npu {

/// The most bytes of a tensor or a buffer, so that its bits fit 63 bits.
inline constexpr int64_t mostTensorBytes = int64_t{1} << 60;

/// Refuses tensors and buffers of static shape, in `root` and in signatures of
/// functions, that have more than 2^60 bytes, or elements where an element has
/// no size: one error at an operation, "expected tensors of at most 2^60 bytes,
/// got 'tensor<9223372036854775807x2xf32>' as result #0".
mlir::LogicalResult checkTensorSizes(mlir::Operation *root);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_TENSORSIZES_H
