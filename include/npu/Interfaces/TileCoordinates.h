// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps as a tile sees them: its loops begin at 0, and so do its parts
// of the operands.

#ifndef NPU_INTERFACES_TILECOORDINATES_H
#define NPU_INTERFACES_TILECOORDINATES_H

#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/ArrayRef.h"

namespace npu {

/// `map` for a tile that runs `loops` on the part `box` of an operand:
///
///     result(loops) = map(loops + begins of the loops) - begins of the box
///
/// This is exact for every quasi-affine map: a divisor divides what it divided
/// before, wherever the tile's part begins. Plain dimensions stay plain where
/// loop and box begin at the same place, so that loops can still be told from
/// shapes. Example: tile 1 runs h = 10 .. 18 of `(h) -> (h floordiv 7)` on
/// entries 1 .. 2, and its map is `(h) -> ((h + 10) floordiv 7 - 1)`.
mlir::AffineMap inTileCoordinates(mlir::AffineMap map,
                                  llvm::ArrayRef<Range> loops, const Box &box);

} // namespace npu

#endif // NPU_INTERFACES_TILECOORDINATES_H
