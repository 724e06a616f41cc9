// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions, for the operators that compute one of other numbers than their
// operands: quantized ones, and those whose weights are folded.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_CONVOLUTIONS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_CONVOLUTIONS_H

#include "../Graph/NodeImport.h"

namespace npu {

/// What a convolution computes on: an image N x C x ..., weights, and a bias of
/// one number for each channel of the result, or none.
struct ConvolutionOperands {
  OnnxTensor image, weights;
  std::optional<OnnxTensor> bias;
};

/// A convolution with the attributes of `node`: weights are M x C/group x ...
mlir::FailureOr<mlir::Value>
buildConvolution(NodeImport &node, const ConvolutionOperands &operands);

/// A transposed one: weights are C x M/group x ...
mlir::FailureOr<mlir::Value>
buildTransposedConvolution(NodeImport &node,
                           const ConvolutionOperands &operands);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_CONVOLUTIONS_H
