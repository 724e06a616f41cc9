// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized numbers, which are (integer - zero point) * scale: what families of
// operators on them have in common.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_QUANTIZATION_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_QUANTIZATION_H

#include "../Graph/NodeImport.h"

namespace npu {

/// An error unless an operand has integers.
mlir::LogicalResult checkIntegers(NodeImport &node, unsigned operand);

/// Whether all extents are 1.
bool isOne(const OnnxTensor &tensor);

/// Scales or zero points for a tensor of rank `rank`: one number, or one for
/// each entry of dimension `dim`, which has `extent`. A shape that already is
/// broadcast stays.
mlir::FailureOr<mlir::Value> along(NodeImport &node, unsigned operand,
                                   int64_t rank, int64_t dim, int64_t extent);

/// An operand as 32-bit integers without its zero points, operand
/// `zeroOperand`, if it is there: one, or one for each entry of dimension
/// `dim`.
mlir::FailureOr<mlir::Value> centeredAlong(NodeImport &node, unsigned operand,
                                           unsigned zeroOperand, int64_t dim);

/// The integer nearest to a float, of two the even one, plus the zero point,
/// which may be null; the type's smallest or largest where it does not fit.
mlir::Value quantized(ScalarBuilder &s, mlir::Value number, mlir::Value zero,
                      OnnxElement element);

/// Bytes of numbers, whose scale and zero point are chosen so that they reach
/// from the smallest to the largest number, and 0.
struct QuantizedBytes {
  mlir::Value bytes, scale, zero;
};
mlir::FailureOr<QuantizedBytes> quantizedBytes(NodeImport &node);

/// A dimension as two: blocks of `size` entries, which divides the extent, and
/// the entries of each.
mlir::Value splitAlong(TensorBuilder &build, mlir::Value tensor, int64_t dim,
                       int64_t size);
/// Each entry of a dimension `size` times, of which the first `extent` are.
mlir::Value repeatedAlong(TensorBuilder &build, mlir::Value tensor, int64_t dim,
                          int64_t size, int64_t extent);

/// Integers that have a scale and a zero point for every block of a dimension.
struct Blocks {
  OnnxTensor integers;
  /// Like the integers, but for one entry for each block.
  OnnxTensor scales;
  /// The same: integers of the same type, or floats of the scales'. Without
  /// them, all are `zero`.
  std::optional<OnnxTensor> zeros;
  int64_t zero = 0;
  /// The dimension, whose extent is static, and how many entries a block has.
  int64_t dim = 0, size = 0;
};

/// (integer - zero point) * scale, of the scales' type: one elementwise
/// operation on the integers with the dimension in two, where it has whole
/// blocks only. Precondition: areOfBlocks(scales), and the same of zero points.
mlir::Value dequantizedBlocks(TensorBuilder &build, const Blocks &blocks);

/// Whether scales, or zero points, are one for each block of a dimension.
bool areOfBlocks(llvm::ArrayRef<int64_t> numbers,
                 llvm::ArrayRef<int64_t> integers, int64_t dim, int64_t size);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_QUANTIZATION_H
