// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary embeddings: pairs of a head's entries are turned by angles that depend
// on the position.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_ROTARYEMBEDDING_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_ROTARYEMBEDDING_H

#include "../Graph/NodeImport.h"

namespace npu {

/// The rows of a table of cosines or sines at positions, which are moved into
/// range: the positions' dimensions, and angles.
mlir::Value anglesAt(TensorBuilder &build, const OnnxTensor &table,
                     const OnnxTensor &positions);

/// `count` rows from `begin` on: the program asserts that there are as many.
/// Null where there never are.
mlir::Value anglesFrom(TensorBuilder &build, mlir::Value table, Number begin,
                       Number count);

/// How heads are turned.
struct Rotation {
  /// With the dimensions batch, position and angle, or the last two.
  mlir::Value cosines, sines;
  /// How many entries of a head, from the first on, are turned: two for each
  /// angle.
  int64_t entries = 0;
  /// Whether pairs are neighbours, or each has one entry of either half.
  bool isInterleaved = false;
};

/// Heads of rank 4, whose last dimension has their entries, turned; dimension
/// `headDim`, 1 or 2, is the heads'. Null where shapes do not agree.
mlir::Value rotated(TensorBuilder &build, mlir::Value heads, int64_t headDim,
                    const Rotation &rotation);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_ROTARYEMBEDDING_H
