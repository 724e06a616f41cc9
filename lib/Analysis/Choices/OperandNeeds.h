// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a way to run an operation needs of its operands, and what that leaves to
// be moved.

#ifndef NPU_LIB_ANALYSIS_CHOICES_OPERANDNEEDS_H
#define NPU_LIB_ANALYSIS_CHOICES_OPERANDNEEDS_H

#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

/// The types of the results, null for those that are no ranked tensors.
std::vector<mlir::RankedTensorType> declaredTypes(mlir::Operation *op);

/// Whether a result is written over this operand.
bool isTied(mlir::Operation *op, unsigned operand);

/// This operand under this type. One that nobody reads may be any tensor of it.
OperandNeed needOf(const OpAccess &access, unsigned operand,
                   mlir::RankedTensorType type);

/// The choice in which every tile runs its iterations and results come out
/// under `resultTypes`. Operands come under layouts like that of `like`, where
/// it has the boxes.
ComputeChoice choiceFor(mlir::Operation *op, const OpAccess &access,
                        MovementCache &movement,
                        const TileIterations &iterations,
                        std::vector<mlir::RankedTensorType> resultTypes,
                        mlir::RankedTensorType like);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CHOICES_OPERANDNEEDS_H
