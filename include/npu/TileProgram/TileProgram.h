// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes and types of tile programs, which npu-lower-to-tiles makes of
// functions whose values have layouts; for code that makes or reads such
// programs.

#ifndef NPU_TILEPROGRAM_TILEPROGRAM_H
#define NPU_TILEPROGRAM_TILEPROGRAM_H

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "llvm/ADT/StringRef.h"

namespace npu {

/// An attribute of an operation with one result: where the result begins in its
/// tensor, in memory order. Where most parts begin follows from other parts;
/// this part is of a tensor with indices of its own (a slice of the model, a
/// reshape).
inline constexpr llvm::StringLiteral beginAttrName =
    NPUDialect::BeginAttrHelper::getNameStr();

/// An attribute of a tile's tensor.extract_slice or tensor.insert_slice whose
/// part is of a tensor with indices of its own: where that tensor begins, in
/// memory order, in the tensor that the part is taken from or put into. The
/// attribute is the same on all tiles, while each tile has other offsets in its
/// own part. A slice of the model has its sizes and strides after the offsets:
/// that of [:, 4:14:2] of a tensor<3x20xf32> has array<i64: 0, 4, 3, 5, 1, 2>.
/// On a tile's npu.permute_cast, which gives a whole part the indices of
/// another tensor: where the result's tensor begins in the operand's.
inline constexpr llvm::StringLiteral offsetAttrName =
    NPUDialect::OffsetAttrHelper::getNameStr();

/// An attribute of what has `npu.offset`: a number that the parts of one
/// operand or result of an operation of the model have on all tiles, and no
/// other parts. Their offsets are equal.
inline constexpr llvm::StringLiteral ofAttrName =
    NPUDialect::OfAttrHelper::getNameStr();

/// An attribute of an operation with one result: the memory order of the
/// result, from memory dimensions to logical dimensions. Without it, the order
/// is that of the tensor which the operation writes over or views, or else the
/// logical one. Transfers are held against it.
inline constexpr llvm::StringLiteral orderAttrName =
    NPUDialect::OrderAttrHelper::getNameStr();

/// An attribute that says how large something of the model is, where a tile's
/// part is smaller or nothing else says it. On an operation that reduces: the
/// extent of each loop that is in the map of no result, in the order of the
/// loops. On a reshape: all extents of that one of its two whole tensors which
/// has more dimensions, in memory order; without it, they are the part's.
/// Example: the part [1:2, 2:4] of a tensor<3x4xf32> that is collapsed to [6:8]
/// has array<i64: 3, 4>.
inline constexpr llvm::StringLiteral extentsAttrName =
    NPUDialect::ExtentsAttrHelper::getNameStr();

/// An attribute of a function: every padding that a tensor of its tile program
/// has, each like `npu.padding` of the whole tensor in memory order. What a
/// tensor.empty of the program marks as padding is a part of one of them.
inline constexpr llvm::StringLiteral paddingsAttrName =
    NPUDialect::PaddingsAttrHelper::getNameStr();

/// The tensor that tile `tile` holds of a distributed tensor: its memory box,
/// dimensions in memory order, no encoding. Example: tile 1 of
/// tensor<1x128x28x336xf16, SEGMENTED tiles = [1, 1, 4, 1], order = NHWC> holds
/// a tensor<1x7x336x128xf16>.
mlir::RankedTensorType localType(mlir::RankedTensorType type, unsigned tile);

/// The tensor as that tile stores it: that one, or its image
/// (storage = tiled2d).
mlir::RankedTensorType storedType(mlir::RankedTensorType type, unsigned tile);

/// The tensor that holds `box` of a distributed tensor: dimensions in memory
/// order, no encoding.
mlir::RankedTensorType partType(mlir::RankedTensorType type, const Box &box);

/// The type of a tensor in DDR in a tile program: its dimensions in memory
/// order, no encoding.
mlir::RankedTensorType ddrType(mlir::RankedTensorType type);

} // namespace npu

#endif // NPU_TILEPROGRAM_TILEPROGRAM_H
