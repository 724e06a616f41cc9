// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's part of slices, pads, concatenations and reshapes. Each gives the
// part that the tile holds of the one result, of which it holds something.

#ifndef NPU_LIB_EXTERNALMODELS_TENSOR_CUTTING_H
#define NPU_LIB_EXTERNALMODELS_TENSOR_CUTTING_H

#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace npu {

void cutExtractSlice(mlir::tensor::ExtractSliceOp op, TilePart &part);
/// Precondition: all strides are 1.
void cutInsertSlice(mlir::tensor::InsertSliceOp op, TilePart &part);
/// Precondition: it pads with one value.
void cutPad(mlir::tensor::PadOp op, TilePart &part);
void cutConcat(mlir::tensor::ConcatOp op, TilePart &part);

/// expand_shape and collapse_shape. Precondition: what the tile holds of the
/// result is one run of the source's elements.
void cutReshape(TilePart &part);
/// Whether that is so of every tile.
bool reshapesRuns(mlir::Operation *op, const OpAccess &access);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_TENSOR_CUTTING_H
