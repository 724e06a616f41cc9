// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes what a choice needs of the operands, and which bytes it leaves to be
// moved.

#ifndef NPU_LIB_ANALYSIS_CHOICES_OPERANDNEEDS_H
#define NPU_LIB_ANALYSIS_CHOICES_OPERANDNEEDS_H

#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

/// The types of the results; null for results that are no ranked tensors.
std::vector<mlir::RankedTensorType> declaredTypes(mlir::Operation *op);

/// Whether a result is written over this operand.
bool isTied(mlir::Operation *op, unsigned operand);

/// The need of `operand` under `type`. For an unread operand, any tensor of
/// that type will do.
OperandNeed needOf(const OpAccess &access, unsigned operand,
                   mlir::RankedTensorType type);

/// The choice in which every tile runs its iterations and results come out
/// under `resultTypes`. Operands get layouts like that of `like`, where it has
/// the boxes.
ComputeChoice choiceFor(mlir::Operation *op, const OpAccess &access,
                        MovementCache &movement,
                        const TileIterations &iterations,
                        std::vector<mlir::RankedTensorType> resultTypes,
                        mlir::RankedTensorType like);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CHOICES_OPERANDNEEDS_H
