// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticPads.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace npu {

/// Replaces values that are constants by their numbers; gives how many other
/// values there are.
static size_t makeStatic(Builder &builder,
                         SmallVectorImpl<OpFoldResult> &numbers) {
  for (OpFoldResult &number : numbers)
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      number = builder.getIndexAttr(*constant);
  return llvm::count_if(numbers, llvm::IsaPred<Value>);
}

void makePadsStatic(Operation *root) {
  root->walk([](tensor::PadOp pad) {
    OpBuilder builder(pad);
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                              high = pad.getMixedHighPad();
    size_t left = makeStatic(builder, low) + makeStatic(builder, high);
    if (left == pad.getLow().size() + pad.getHigh().size())
      return;
    auto known =
        tensor::PadOp::create(builder, pad.getLoc(), pad.getType(),
                              pad.getSource(), low, high, pad.getNofold());
    known.getRegion().takeBody(pad.getRegion());
    pad.replaceAllUsesWith(known.getResult());
    pad.erase();
  });
}

} // namespace npu
