// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a tile program, for those who make one and those who read it:
// what npu-lower-to-tiles writes of a function whose values carry layouts.

#ifndef NPU_TILEPROGRAM_TILEPROGRAM_H
#define NPU_TILEPROGRAM_TILEPROGRAM_H

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "llvm/ADT/StringRef.h"

namespace npu {

/// On an operation with one result: where that begins in its tensor, in memory
/// order. Most parts' beginnings follow from others'; this one begins a tensor
/// whose indices are its own (a slice of the model, a reshape).
inline constexpr llvm::StringLiteral beginAttrName =
    NPUDialect::BeginAttrHelper::getNameStr();

/// On a tensor.extract_slice or tensor.insert_slice of a tile, where the tensor
/// of the part that is taken or put has indices of its own: where that begins,
/// in memory order, in the tensor that it is taken from or put into. All tiles
/// have one, while each has other offsets in its own part. A part that only
/// gets other indices is a slice, too.
inline constexpr llvm::StringLiteral offsetAttrName =
    NPUDialect::OffsetAttrHelper::getNameStr();

/// The tensor that tile `tile` holds of a distributed tensor: its memory box,
/// dimensions in memory order, no encoding. Example: tile 1 of
/// tensor<1x128x28x336xf16, SEGMENTED tiles = [1, 1, 4, 1], order = NHWC> holds
/// a tensor<1x7x336x128xf16>.
mlir::RankedTensorType localType(mlir::RankedTensorType type, unsigned tile);

/// The tensor that holds `box` of a distributed tensor: dimensions in memory
/// order, no encoding.
mlir::RankedTensorType partType(mlir::RankedTensorType type, const Box &box);

/// What stands for a tensor that is not distributed: its dimensions in memory
/// order, no encoding.
mlir::RankedTensorType ddrType(mlir::RankedTensorType type);

} // namespace npu

#endif // NPU_TILEPROGRAM_TILEPROGRAM_H
