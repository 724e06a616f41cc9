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

/// The convolution or pooling whose engine does what `op`, a pad, does: it is
/// the only one to read the result, stands in the same block, and slides a
/// window over every dimension that is padded. Nothing but distribution_casts
/// may lie between the two. The padding is zero, and at each end no wider than
/// the figures allow (npu.input_padding). Null where there is none.
mlir::Operation *findPaddingReader(mlir::Operation *op,
                                   const CostFigures &figures);

/// Whether the engine that does `op` adds the zeros of what makes an operand.
bool padsWhileReading(mlir::Operation *op, const CostFigures &figures);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_INPUTPADDING_H
