// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the operations of each tile of a tile program together, so that the
// program reads tile by tile as far as the tiles do not wait for each other.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_GROUPBYTILE_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_GROUPBYTILE_H

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// Reorders operations in every block. The operations of one tile, the
/// transfers that it sends and receives included, keep their order, as do those
/// of no tile, and all that have effects. Nothing else changes.
void groupByTile(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_GROUPBYTILE_H
