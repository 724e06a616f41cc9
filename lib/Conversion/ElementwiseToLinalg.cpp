// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/ElementwiseToLinalg.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {

bool isElementwiseOnTensors(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

void elementwiseToLinalg(ArrayRef<Operation *> ops,
                         RewriterBase::Listener *listener) {
  if (ops.empty())
    return;
  RewritePatternSet patterns(ops.front()->getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  GreedyRewriteConfig config;
  config.setListener(listener)
      .setStrictness(GreedyRewriteStrictness::ExistingOps)
      .enableFolding(false)
      .enableConstantCSE(false);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

} // namespace npu
