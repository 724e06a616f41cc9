// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a tile's part of a structured operation.

#ifndef NPU_LIB_EXTERNALMODELS_CUTSTRUCTURED_H
#define NPU_LIB_EXTERNALMODELS_CUTSTRUCTURED_H

#include "npu/TileProgram/TilePart.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Builds the operation for the iterations that produce the tile's memory boxes
/// of the results, on the boxes that they read, with maps in the coordinates of
/// these boxes.
void cutStructured(mlir::linalg::LinalgOp op, TilePart &part);

} // namespace npu

#endif // NPU_LIB_EXTERNALMODELS_CUTSTRUCTURED_H
