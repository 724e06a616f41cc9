// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a pattern whose bodies and operands can be changed.

#ifndef NPU_LIB_PREPROCESS_PRECISION_GENERALFORM_H
#define NPU_LIB_PREPROCESS_PRECISION_GENERALFORM_H

#include "Patterns/PrecisionPatterns.h"

namespace npu {

/// The operation around `scalar`, one of `pattern`, as a linalg.generic; it
/// takes the place of the operation in the pattern, and `scalar` becomes what
/// it is in its body.
mlir::linalg::GenericOp generalFormOf(PrecisionPattern &pattern,
                                      mlir::Operation *&scalar);

/// Lets `op` read `tensor` at `map` as its last input; returns the entry.
mlir::Value appendInput(mlir::linalg::GenericOp op, mlir::Value tensor,
                        mlir::AffineMap map);

} // namespace npu

#endif // NPU_LIB_PREPROCESS_PRECISION_GENERALFORM_H
