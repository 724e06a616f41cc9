// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_INTERFACES_OPERANDPADDING_H
#define NPU_INTERFACES_OPERANDPADDING_H

#include "npu/Interfaces/PaddingState.h"

#include "mlir/IR/AffineMap.h"

namespace npu {

/// The padding that an operand of a structured operation has as the operation
/// reads it through `map`: the padding of the loop (`loops` has one for each)
/// where a dimension is read at a loop, and the operand's own padding (`given`)
/// where it is read at a window or another expression. Example: a tensor[i, j +
/// k] whose loop i is padded has the loop's padding in dimension 0 and keeps
/// its own in dimension 1.
inline PaddingState operandPadding(PaddingState given, mlir::AffineMap map,
                                   const PaddingState &loops) {
  given.resize(map.getNumResults());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr))
      given[dim] = loops[loop.getPosition()];
  return given;
}

} // namespace npu

#endif // NPU_INTERFACES_OPERANDPADDING_H
