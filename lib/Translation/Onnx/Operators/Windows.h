// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows that slide over the spatial dimensions of an image: what convolutions
// and poolings say alike of kernels, strides, dilations and padding.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_WINDOWS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_WINDOWS_H

#include "../Graph/NodeImport.h"

namespace npu {

/// The windows of an operator, one number for each spatial dimension.
struct Windows {
  using Numbers = llvm::SmallVector<int64_t>;

  Numbers kernel, strides, dilations;
  /// Entries of padding in front and after, as the node says.
  Numbers low, high;
  /// The same as numbers that may follow from prompts: where windows are as
  /// many as strides begin, their padding does.
  TensorBuilder::Sizes before, after;
  /// Entries after the padding that the last window of a rounded-up extent
  /// may reach; none begins there.
  Numbers beyond;
  /// How many windows there are; dynamic where that follows from prompts.
  Numbers results;
  TensorBuilder::Sizes places;

  int64_t rank() const { return static_cast<int64_t>(kernel.size()); }
  /// Entries from the first to the last of a window.
  int64_t reach(int64_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
};

/// An error where an operand has fewer than `leastRank` dimensions, or a
/// dynamic number of channels: batches and spatial dimensions may be dynamic.
mlir::LogicalResult checkImage(NodeImport &node, const OnnxTensor &image,
                               int64_t leastRank = 3);

/// Kernel, strides, dilations and explicit padding of a node, every one
/// checked. Results and automatic padding are not set.
mlir::FailureOr<Windows> readWindowAttributes(NodeImport &node,
                                              llvm::ArrayRef<int64_t> kernel);

/// All of the windows over an image whose spatial dimensions have the extents
/// `spatial`; an error where there are none at some length of a prompt.
mlir::FailureOr<Windows> readWindows(NodeImport &node,
                                     llvm::ArrayRef<Number> spatial,
                                     llvm::ArrayRef<int64_t> kernel);

/// Windows over an image whose first two dimensions are batches and channels:
/// adds entries of `scalar`. Negative numbers remove entries.
mlir::Value padSpatial(TensorBuilder &build, mlir::Value image,
                       llvm::ArrayRef<Number> low, llvm::ArrayRef<Number> high,
                       mlir::Value scalar);

/// Where window `result` has its entry `entry`: result * stride + entry *
/// dilation, in dimension `dim` of the windows.
mlir::AffineExpr windowPosition(const Windows &windows, int64_t dim,
                                mlir::AffineExpr result,
                                mlir::AffineExpr entry);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_WINDOWS_H
