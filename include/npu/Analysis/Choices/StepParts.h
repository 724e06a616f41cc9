// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that lie on tiles as a whole although steps cut them: each tile cuts
// its own part of them, and nothing is loaded or stored in a step.
//
// Example: a product of 1x3584 and 3584x18944 in steps of 1,184 columns on four
// tiles, with the result on tiles under SEGMENTED, tiles = [1, 4]. Tile 0 holds
// columns 0 to 4,735, and has columns 0 to 295 of them in the first step, so
// that a step has 296 columns in each of four parts of the loop, and loads the
// weights of those columns.

#ifndef NPU_ANALYSIS_CHOICES_STEPPARTS_H
#define NPU_ANALYSIS_CHOICES_STEPPARTS_H

#include "npu/Analysis/Choices/StepGroup.h"

namespace npu {

/// For each loop of `steps.loops`, of how many parts of it a step has a piece:
/// 1 where steps follow each other in the loop, and the tiles along a dimension
/// where a tensor that is cut with the loop lies on tiles. Nothing where tiles
/// cannot cut their own parts:
///
/// * a loop that reduces has one part, so that sums keep their order, and so
///   have all loops where steps pad, which is done at the ends of a slice;
/// * such a dimension is a loop by itself, and all tiles hold all of it or
///   equal parts, one after the other;
/// * a step has equal pieces of all parts, in whole bytes.
std::optional<llvm::SmallVector<int64_t>>
partsOfLoops(const StepGroup &group, const OperationSteps &steps,
             llvm::function_ref<bool(StepUse)> isOnTiles);

/// For each dimension of a tensor, of how many of its parts a step has a piece.
/// Precondition: `parts` are those of the loops.
llvm::SmallVector<int64_t> partsOfDims(const StepGroup &group,
                                       const OperationSteps &steps,
                                       llvm::ArrayRef<int64_t> parts,
                                       StepUse use);

/// Whether each step makes its slice of a result that lies on tiles where it
/// lies in the whole, so that nothing is copied: what it begins with can be
/// written there, and a tile's piece is one box. Precondition: the same.
bool isMadeInPlace(const StepGroup &group, const OperationSteps &steps,
                   llvm::ArrayRef<int64_t> parts);

/// A tensor in which each dimension of several parts is two: the parts, and
/// what each of them has.
struct PartedShape {
  PartedShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> parts);

  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::ReassociationIndices> groups;
};

/// The layout of such a tensor under which tiles hold what they hold under
/// `layout`, which is null where `layout` is, and where there is none: of
/// windows, explicit boxes or another order of dimensions.
LayoutAttr partedLayout(LayoutAttr layout, llvm::ArrayRef<int64_t> parts);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_STEPPARTS_H
