// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means and variances, and the small steps that normalizations take with them.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_MOMENTS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_MOMENTS_H

#include "../Graph/NodeImport.h"

namespace npu {

/// An error where operand 0 is not of floats.
mlir::LogicalResult checkFloats(NodeImport &node);
/// The same, and where it has fewer dimensions, or a dynamic number of channels
/// (checkImage).
mlir::LogicalResult checkFloats(NodeImport &node, int64_t leastRank);

/// first, first + 1, ... rank - 1.
llvm::SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank);

/// How many elements there are along dimensions, as a number of x's type and
/// rank 0.
mlir::Value countOf(NodeImport &node, mlir::Value x,
                    llvm::ArrayRef<int64_t> dims);

/// The mean over dimensions, which stay with extent 1.
mlir::FailureOr<mlir::Value> meanOf(NodeImport &node, mlir::Value x,
                                    llvm::ArrayRef<int64_t> dims);

/// Mean, variance around it, and what is around it.
struct Moments {
  mlir::Value mean, variance, centered;
};

mlir::FailureOr<Moments> momentsOf(NodeImport &node, mlir::Value x,
                                   llvm::ArrayRef<int64_t> dims);

/// Elementwise with NumPy's broadcasting; null where shapes do not agree.
mlir::Value product(TensorBuilder &build, mlir::Value a, mlir::Value b);
mlir::Value sumOf(TensorBuilder &build, mlir::Value a, mlir::Value b);

/// 1 / sqrt(variance + epsilon).
mlir::Value inverseDeviation(TensorBuilder &build, mlir::Value variance,
                             double epsilon);

/// An operand with the element type of operand 0.
mlir::Value asOperandZero(NodeImport &node, unsigned operand);

/// One number for each channel, as a tensor that is broadcast to rank `rank`.
mlir::FailureOr<mlir::Value> ofChannels(NodeImport &node, unsigned operand,
                                        int64_t rank, int64_t channels);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_MOMENTS_H
