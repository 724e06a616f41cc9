// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a body that the output stage of a matrix engine can do.

#ifndef NPU_LIB_ANALYSIS_COSTS_OUTPUTSTEPS_H
#define NPU_LIB_ANALYSIS_COSTS_OUTPUTSTEPS_H

#include "npu/Analysis/Costs/OutputStage.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// Steps that follow each other, and what the last one makes.
struct OutputSteps {
  llvm::SmallVector<mlir::Operation *, 4> steps;
  mlir::Value made;
  /// The operand of which they are steps, if it is one.
  mlir::OpOperand *operand = nullptr;

  bool has(mlir::Operation *op) const { return llvm::is_contained(steps, op); }
};

/// The longest series of steps from `start`, a value of the body of `op`, that
/// the output stage can do. Each reads what the one before it makes, which
/// nobody else reads, and otherwise what is the same for all entries or, along
/// the loops `channels`, for each channel. What the last one makes is no wider
/// than `start`: the engine writes no more bytes. `bits` are those of the
/// elements that the engine works on.
OutputSteps outputStepsFrom(mlir::linalg::LinalgOp op, mlir::Value start,
                            llvm::ArrayRef<unsigned> channels, int64_t bits,
                            const CostFigures &figures);

/// The steps of the body of `op` that `staged` says of one of its operands.
/// None where `staged` is null.
OutputSteps stepsOf(mlir::Operation *op, const StagedOperand *staged,
                    const CostFigures &figures);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_COSTS_OUTPUTSTEPS_H
