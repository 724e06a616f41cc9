// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/ReadsOperand.h"

using namespace mlir;

namespace npu {

/// Whether every entry of an output is written: each dimension has a loop of
/// its own, and no other loop may have no iterations.
static bool writesWhole(linalg::LinalgOp op, AffineMap written) {
  if (!written.isProjectedPermutation())
    return false;
  if (written.getNumResults() == op.getNumLoops())
    return true;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!written.isFunctionOfDim(loop) &&
        (extent == 0 || ShapedType::isDynamic(extent)))
      return false;
  return true;
}

bool readsOperand(linalg::LinalgOp op, OpOperand &operand) {
  return op.payloadUsesValueFromOperand(&operand) ||
         (op.isDpsInit(&operand) &&
          !writesWhole(op, op.getMatchingIndexingMap(&operand)));
}

} // namespace npu
