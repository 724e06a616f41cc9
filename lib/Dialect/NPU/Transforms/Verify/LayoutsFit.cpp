// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that layouts fit their tensors. Encodings are verified where types
// are parsed, not where patterns of other dialects build types (an
// extract_slice that copies its source's encoding).

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Support/Naming.h"

using namespace mlir;

namespace npu {

LogicalResult verifyLayoutsFit(Operation *root) {
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
  root->walk([&](Operation *op) {
    for (Value result : op->getResults())
      check(result, op->getLoc());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          check(argument, argument.getLoc());
  });
  return success(allFit);
}

} // namespace npu
