// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Arith/DropPromises.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace npu {

void dropPromises(Operation *root) {
  MLIRContext *context = root->getContext();
  root->walk([&](Operation *op) {
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(
          fast.getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::none));
    if (auto whole = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
      op->setAttr(whole.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(
                      context, arith::IntegerOverflowFlags::none));
  });
}

} // namespace npu
