// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a tile's part of slices, pads, concatenations and reshapes. Each
// function gives the part of the only result that the tile holds. Precondition:
// the tile holds some of it.

#ifndef NPU_LIB_EXTERNALMODELS_TENSOR_CUTTING_H
#define NPU_LIB_EXTERNALMODELS_TENSOR_CUTTING_H

#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace npu {

void cutExtractSlice(mlir::tensor::ExtractSliceOp op, TilePart &part);
/// Precondition: all strides are 1.
void cutInsertSlice(mlir::tensor::InsertSliceOp op, TilePart &part);
/// Precondition: the pad has one value everywhere.
void cutPad(mlir::tensor::PadOp op, TilePart &part);
void cutConcat(mlir::tensor::ConcatOp op, TilePart &part);

/// Cuts expand_shape and collapse_shape. Precondition: the tile's part of the
/// result is one run of the source's elements.
void cutReshape(TilePart &part);
/// Whether the parts of all tiles are such runs.
bool reshapesRuns(mlir::Operation *op, const OpAccess &access);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_TENSOR_CUTTING_H
