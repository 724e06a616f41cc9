// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation takes, as it stands on the operation: `npu.matrix_cycles`,
// `npu.vector_cycles` or `npu.load_cycles`, by what does it on a tile, has one
// number for each tile, and on the part of one tile that tile's number. So a
// program of tiles says what its parts take, when what the whole operation was
// can no longer be seen.
//
// npu-mark-cycles sets them, npu-print-schedule reads them. With 0 on the
// operation that returns it says that arguments and results with a layout are
// on tiles before and after.

#ifndef NPU_DIALECT_NPU_IR_CYCLEMARKS_H
#define NPU_DIALECT_NPU_IR_CYCLEMARKS_H

#include "mlir/IR/Operation.h"

namespace npu {

/// What does an operation on a tile: one of its engines, or what loads from
/// DDR.
enum class CycleEngine { Matrix, Vector, Load };

struct CycleMark {
  llvm::SmallVector<int64_t> cycles;
  CycleEngine engine = CycleEngine::Vector;
};

/// The cycles that stand on the operation; nothing where none do.
std::optional<CycleMark> readCycles(mlir::Operation *op);

void markCycles(mlir::Operation *op, const CycleMark &mark);

/// Takes the cycles from an operation.
std::optional<CycleMark> takeCycles(mlir::Operation *op);

/// Leaves the cycles of one tile.
void keepCyclesOf(mlir::Operation *op, unsigned tile);

/// Gives all cycles of `from` to the last operation of `to`, and none to the
/// others.
void passCyclesOn(const std::optional<CycleMark> &from,
                  llvm::ArrayRef<mlir::Operation *> to);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_CYCLEMARKS_H
