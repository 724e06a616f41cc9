// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Body/NestedIndices.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace npu {

LogicalResult refuseNestedIndices(Operation *root) {
  WalkResult walk = root->walk([](linalg::IndexOp index) -> WalkResult {
    Operation *inner = index->getParentOp();
    if (!inner->getParentOfType<linalg::LinalgOp>())
      return WalkResult::advance();
    return emitError(inner->getLoc())
           << "'" << inner->getName()
           << "' in the body of another structured operation: expected one "
              "without 'linalg.index', which would be taken for that of the "
              "outer operation";
  });
  return failure(walk.wasInterrupted());
}

} // namespace npu
