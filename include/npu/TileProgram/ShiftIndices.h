// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_TILEPROGRAM_SHIFTINDICES_H
#define NPU_TILEPROGRAM_SHIFTINDICES_H

#include "npu/Interfaces/OpAccess.h"

#include "mlir/IR/Builders.h"

namespace npu {

/// `op` runs `iteration` of an iteration space that it had all of: its
/// linalg.index operations, which count from 0, are given the ranges' begins
/// again. For an operation that nobody else has seen yet.
void shiftIndices(mlir::Operation *op, const IterationDomain &iteration,
                  mlir::OpBuilder &builder);

} // namespace npu

#endif // NPU_TILEPROGRAM_SHIFTINDICES_H
