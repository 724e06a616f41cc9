// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding by constants that are operands.

#ifndef NPU_LIB_CONVERSION_TOSA_STATICPADS_H
#define NPU_LIB_CONVERSION_TOSA_STATICPADS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// Writes constant operands of tensor.pad inside of `root` as static numbers.
/// Upstream lowers tosa.pad to operands, of which nothing is known where tiles
/// are cut, and its canonicalization leaves them where the result's type is
/// static already.
void makePadsStatic(mlir::Operation *root);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOSA_STATICPADS_H
