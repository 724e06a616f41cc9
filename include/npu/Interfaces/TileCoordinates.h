// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps in a tile's own coordinates, in which its loops and its parts
// of the operands begin at 0.

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
/// The formula is exact for every quasi-affine map: each division is of the
/// same number as before, wherever the tile's part begins. Plain dimensions
/// stay plain where loop and box begin at the same place, so that upstream can
/// still infer loops from shapes. Example: tile 1 runs h = 10 .. 18 of `(h) ->
/// (h floordiv 7)` on entries 1 .. 2, and its map is `(h) -> ((h + 10) floordiv
/// 7 - 1)`.
mlir::AffineMap inTileCoordinates(mlir::AffineMap map,
                                  llvm::ArrayRef<Range> loops, const Box &box);

} // namespace npu

#endif // NPU_INTERFACES_TILECOORDINATES_H
