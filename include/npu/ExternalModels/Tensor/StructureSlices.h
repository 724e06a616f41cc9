// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, pads and concatenations, in forms that upstream bufferizes.

#ifndef NPU_EXTERNALMODELS_TENSOR_STRUCTURESLICES_H
#define NPU_EXTERNALMODELS_TENSOR_STRUCTURESLICES_H

#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Rewrites a slice, a pad or a concatenation; others stay as they are.
///
/// Of a buffer, upstream takes no part without elements where the dimension
/// ends, and no part that begins in front of it: nothing is made of nothing,
/// and a pad that cuts away becomes a slice with a pad. Dropped dimensions it
/// tells by their strides or takes the first that will do: a slice that strides
/// or has other dimensions of extent 1 drops them in a step of its own.
void structureSlice(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_STRUCTURESLICES_H
