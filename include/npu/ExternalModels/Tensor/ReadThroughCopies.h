// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations read the tensors that a transpose or a concatenation
// copies, instead of the copy. A rotary embedding of 32x512x128, which reads a
// transposed product, and its halves in the other order, becomes one operation
// on 32x512x2x64 that reads both halves of the product.

#ifndef NPU_EXTERNALMODELS_TENSOR_READTHROUGHCOPIES_H
#define NPU_EXTERNALMODELS_TENSOR_READTHROUGHCOPIES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// Lets elementwise operations without layouts read through transposes, and
/// through concatenations of parts of the same extent, of which they select one
/// by their iteration. What was copied for them alone goes away. Results stay
/// the same.
void readThroughCopies(mlir::FunctionOpInterface function);

/// Lets operations write a result transposed that a transpose alone reads.
void writeTransposed(mlir::FunctionOpInterface function);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_READTHROUGHCOPIES_H
