// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites operations on scalars that upstream does not lower correctly to
// operations that it does.

#ifndef NPU_LIB_CONVERSION_BUFFERS_STRUCTURESCALARS_H
#define NPU_LIB_CONVERSION_BUFFERS_STRUCTURESCALARS_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace npu {

/// Makes the base of a negative power of zero, which is undefined and which
/// upstream computes by a division that kills the process, one.
void guardPower(mlir::OpBuilder &builder, mlir::math::IPowIOp power);

/// Makes the sign of a zero that a maxnumf or minnumf gives for two zeros,
/// which arith leaves open, independent of the order of operands, by maximumf
/// and minimumf. Precondition: `op` is on scalars.
void orderZeros(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_CONVERSION_BUFFERS_STRUCTURESCALARS_H
