// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds what follows a convolution and only multiplies and shifts its channels
// into the convolution's weights and bias, where all of these are constants:
// batch normalization, and products and sums with one number for each channel.
//
//     BatchNormalization(Conv(x, w, b)) = Conv(x, w * f, b * f + s)
//
// where f = scale / sqrt(variance + epsilon) and s = shift - mean * f. A
// product that was rounded after the sum is rounded in front of it, so that
// bits may change: a remark says so, and the importer's option for folding
// turns it off.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_FOLDINTOWEIGHTS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_FOLDINTOWEIGHTS_H

#include "Convolutions.h"

namespace npu {

/// Remembers that result 0 of `node` is the convolution `convolution` of these
/// operands, if its weights and its bias are constants that can be folded into.
void recordFoldable(NodeImport &node, NodeImport &convolution,
                    const ConvolutionOperands &operands);

/// Whether operand `operand` of a node is made by a convolution that this node
/// may become a part of.
bool canFoldIntoWeights(NodeImport &node, unsigned operand);

/// Folds a node that multiplies each channel of operand `operand` by its factor
/// and then adds its shift; one number stands for all channels. Sets result 0
/// and returns true, or does nothing where it is not possible.
mlir::FailureOr<bool> foldIntoWeights(NodeImport &node, unsigned operand,
                                      llvm::ArrayRef<double> factors,
                                      llvm::ArrayRef<double> shifts);

/// The same for a node Add, Sub, Mul or Div whose other operand is constant and
/// has one number for each channel.
mlir::FailureOr<bool> foldArithmetic(NodeImport &node);

/// The numbers of a constant of float or double, however large; nothing for any
/// other.
std::optional<std::vector<double>> constantNumbers(const OnnxTensor &tensor);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_FOLDINTOWEIGHTS_H
