// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means of windows and of whole images, which quantized operators use as well.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_POOLINGS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_POOLINGS_H

#include "../Graph/NodeImport.h"

namespace npu {

/// The means of the windows that a node's attributes describe, over an image of
/// floats: batches, channels and spatial dimensions.
mlir::FailureOr<mlir::Value> meansOfWindows(NodeImport &node,
                                            const OnnxTensor &image);

/// The mean of each channel over all spatial dimensions, which stay with
/// extent 1.
mlir::FailureOr<mlir::Value> meansOfImage(NodeImport &node,
                                          const OnnxTensor &image);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_POOLINGS_H
