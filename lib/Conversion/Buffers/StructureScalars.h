// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that upstream neither bufferizes nor lowers as they are, in terms
// of those that it does.

#ifndef NPU_LIB_CONVERSION_BUFFERS_STRUCTURESCALARS_H
#define NPU_LIB_CONVERSION_BUFFERS_STRUCTURESCALARS_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Gives a negative power of zero, which nobody defines and which upstream
/// computes by a division that kills the process, the base one.
void guardPower(mlir::OpBuilder &builder, mlir::math::IPowIOp power);

/// Says which zero the larger or the smaller of two zeros is, which arith
/// leaves open: by maximumf and minimumf, so that it does not depend on the
/// order of operands. `op` is a maxnumf or minnumf of scalars.
void orderZeros(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_STRUCTURESCALARS_H
