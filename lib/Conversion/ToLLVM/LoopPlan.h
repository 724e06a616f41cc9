// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops of a structured operation on buffers run over the lanes of a
// vector and over the rows of a block, and what is copied into panels.
//
//   sums of an element, in their order: reductions
//     +--------- lanes: contiguous in the result ---------+
//   row 0   | + + + + + + + + + + + + + + + + |   vectors: loaded once,
//   row 1   | + + + + + + + + + + + + + + + + |   kept in registers while
//   ...                                           the reductions run
//
// An operand that is contiguous along the innermost reduction, and not along
// the lanes, is transposed: of each lane, a register of steps of the reduction
// is loaded, and what comes of it is a register of lanes for each step.
//
// What the rows of a block share is copied into a panel: for a range of steps
// of the reductions that fits the first-level cache, the lanes of each step,
// one after the other, in the type in which they are computed. All rows read
// the panel.

#ifndef NPU_LIB_CONVERSION_TOLLVM_LOOPPLAN_H
#define NPU_LIB_CONVERSION_TOLLVM_LOOPPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace npu {

/// How the elements of an operand that the lanes of a vector need lie in
/// memory.
enum class LaneAccess { Same, Contiguous, Strided };

struct LoopPlan {
  unsigned lane = 0;
  std::optional<unsigned> row;
  /// Lanes and rows of a block, and the bits of the widest value of a lane.
  int64_t width = 1, rows = 1, bits = 8;
  /// The operands, by number, of which lanes are copied into panels, and those
  /// of which rows are.
  llvm::SmallVector<unsigned> lanePanels, rowPanels;
  /// The operands of which blocks are transposed, by number, the reduction
  /// along which they are contiguous, and the lanes and steps of a block.
  llvm::SmallVector<unsigned> transposed;
  unsigned transposedLoop = 0;
  int64_t blockSize = 1;
  /// With panels: steps of the reduction `blocked` that are in one. Reductions
  /// before it take one step for a panel, those after it all of theirs.
  unsigned blocked = 0;
  int64_t blockedSteps = 0;
  /// With panels: rows that are computed before other lanes are, so that what
  /// they read stays in the second-level cache.
  int64_t rowsOfBlock = 0;

  bool hasPanels() const { return !lanePanels.empty(); }
};

LaneAccess laneAccess(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                      unsigned loop);

/// Nothing where the operation is to stay: where its loops have fewer steps
/// than `fewestSteps`, where vectors save nothing, where its body has
/// operations without lanes, and where a result is no sum.
std::optional<LoopPlan> planLoops(mlir::linalg::LinalgOp op,
                                  int64_t fewestSteps);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOLLVM_LOOPPLAN_H
