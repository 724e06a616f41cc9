// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites slices, pads and concatenations to forms that upstream bufferizes.

#ifndef NPU_EXTERNALMODELS_TENSOR_STRUCTURESLICES_H
#define NPU_EXTERNALMODELS_TENSOR_STRUCTURESLICES_H

#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Rewrites a slice, a pad or a concatenation; others stay as they are.
///
/// Upstream's subviews have no empty part at the end of a dimension, and none
/// that begins in front of the buffer: operations on empty parts are removed,
/// and a pad by negative amounts becomes a slice and a pad. Which dimensions a
/// subview drops, upstream tells by their strides, or takes the first that
/// fits: a slice that has strides or other dimensions of extent 1 drops them in
/// a separate tensor.collapse_shape.
void structureSlice(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace npu

#endif // NPU_EXTERNALMODELS_TENSOR_STRUCTURESLICES_H
