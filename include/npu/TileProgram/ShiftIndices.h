// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_TILEPROGRAM_SHIFTINDICES_H
#define NPU_TILEPROGRAM_SHIFTINDICES_H

#include "npu/Interfaces/OpAccess.h"

#include "mlir/IR/Builders.h"

namespace npu {

/// Corrects the positions in the body of `op`, a tile's part of an operation:
/// the part runs `iteration` of the iteration domain, and its linalg.index
/// operations, which count from 0, get the begins of the ranges added.
/// Precondition: `op` is new, and nothing else refers to its body.
void shiftIndices(mlir::Operation *op, const IterationDomain &iteration,
                  mlir::OpBuilder &builder);

} // namespace npu

#endif // NPU_TILEPROGRAM_SHIFTINDICES_H
