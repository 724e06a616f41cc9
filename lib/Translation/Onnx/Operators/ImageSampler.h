// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an image between its entries: at positions that are floats, in the body
// of an operation.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_IMAGESAMPLER_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_IMAGESAMPLER_H

#include "../Build/TensorBuilder.h"

namespace npu {

enum class Sampling { Nearest, Linear, Cubic };
/// What counts as the entries outside of an image.
enum class Outside { Zeros, Border, Reflection };

/// How an image is read, and arithmetic on positions, which are floats of type
/// `type`.
struct ImageSampler {
  Sampling sampling = Sampling::Linear;
  Outside outside = Outside::Zeros;
  bool alignsCorners = false;
  mlir::Type type;

  /// From -1 .. 1 to entries of an extent.
  mlir::Value position(ScalarBuilder &s, mlir::Value x, int64_t extent) const;
  /// A position that lies outside by more than half an entry is brought back.
  mlir::Value normalised(ScalarBuilder &s, mlir::Value x, int64_t extent) const;
  /// The entry of a plane of the image at whole numbers of rows and columns.
  /// `plane` has the indices of the image's other dimensions.
  mlir::Value entry(ScalarBuilder &s, mlir::Value image,
                    llvm::ArrayRef<mlir::Value> plane,
                    llvm::ArrayRef<mlir::Value> position) const;
  /// The weighted sum of the entries around row `y` and column `x`.
  mlir::Value interpolated(ScalarBuilder &s, mlir::Value image,
                           llvm::ArrayRef<mlir::Value> plane, mlir::Value y,
                           mlir::Value x) const;

private:
  mlir::Value reflected(ScalarBuilder &s, mlir::Value x, int64_t extent) const;
  mlir::Value clamped(ScalarBuilder &s, mlir::Value x, int64_t extent) const;
  std::pair<mlir::Value, llvm::SmallVector<mlir::Value>>
  weights(ScalarBuilder &s, mlir::Value x) const;
  mlir::Value cubicWeight(ScalarBuilder &s, mlir::Value x, bool isNear) const;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_IMAGESAMPLER_H
