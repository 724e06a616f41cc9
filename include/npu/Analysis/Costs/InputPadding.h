// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zeros that a matrix engine adds around what a window slides over, while it
// reads. A tensor.pad that makes them for one convolution or pooling costs
// nothing.
//
// Example: a tensor.pad by one row and one column of zeros on each side, and a
// 3x3 convolution of its result. The first one costs nothing as long as no move
// lies between the two.

#ifndef NPU_ANALYSIS_COSTS_INPUTPADDING_H
#define NPU_ANALYSIS_COSTS_INPUTPADDING_H

#include "npu/Target/CostFigures.h"

#include "mlir/IR/Operation.h"

namespace npu {

/// The convolutions or poolings whose engines do what `op`, a pad, does: one
/// that stands in the same block, or, of a pad that is made of steps, all that
/// these steps do. They alone read the result, and slide a window over every
/// dimension that is padded. Nothing but distribution_casts may lie between.
/// The padding is zero, and at each end no wider than the figures allow
/// (npu.input_padding). Empty where some reader's engine does not.
llvm::SmallVector<mlir::Operation *, 1>
findPaddingReaders(mlir::Operation *op, const CostFigures &figures);

/// Whether the engine that does `op` adds the zeros of what makes an operand.
bool padsWhileReading(mlir::Operation *op, const CostFigures &figures);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_INPUTPADDING_H
