// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of entries that become entries of another dimension, and back.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_BLOCKMOVES_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_BLOCKMOVES_H

#include "../Build/TensorBuilder.h"

namespace npu {

/// Each dimension after `dim` is cut into blocks; position i in its block is
/// what moves: 1x2x4x6 with dim = 1 and blocks = {2, 3} becomes 1x12x2x2.
struct BlockMove {
  int64_t dim;
  /// The size of a block in each dimension after `dim`.
  llvm::SmallVector<int64_t> blocks;
  /// Whether the positions in a block count faster than what `dim` has.
  bool isAfter;
};

/// Positions in blocks as entries of `dim`, or with `isBack` the other way
/// round. Null unless the extents that are cut are multiples at every length of
/// a prompt.
mlir::Value withBlocksMoved(TensorBuilder &build, mlir::Value tensor,
                            const BlockMove &move, bool isBack);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_BLOCKMOVES_H
