// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/WritesOver.h"

using namespace mlir;

namespace npu {

bool mayWriteOver(linalg::LinalgOp op, OpOperand &output, Value input) {
  if (op.getNumLoops() == 0 || op.getNumLoops() != op.getNumParallelLoops() ||
      op.payloadUsesValueFromOperand(&output))
    return false;
  AffineMap written = op.getMatchingIndexingMap(&output);
  return written.isPermutation() &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &use) {
           return use.get() != input ||
                  (op.isDpsInput(&use) &&
                   op.getMatchingIndexingMap(&use) == written);
         });
}

} // namespace npu
