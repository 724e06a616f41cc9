// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that layouts fit their tensors. Encodings are verified where types
// are parsed, not where patterns of other dialects build types (an
// extract_slice that copies its source's encoding).

#include "EachValue.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Support/Naming.h"

using namespace mlir;

namespace npu {

LogicalResult verifyOwnLayoutsFit(Operation *op) {
  bool allFit = true;
  auto check = [&](Value value, Location loc) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isDistributed(type) || getPlacement(type))
      return;
    allFit = false;
    mlir::emitError(loc) << "expected a layout that fits the tensor "
                         << nameOf(value) << " of type " << type << ": "
                         << whyNoPlacement(type);
  };
  forEachOwnValue(op, check);
  return success(allFit);
}

LogicalResult verifyLayoutsFit(Operation *root) {
  bool allFit = true;
  root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { allFit &= succeeded(verifyOwnLayoutsFit(op)); });
  return success(allFit);
}

} // namespace npu
