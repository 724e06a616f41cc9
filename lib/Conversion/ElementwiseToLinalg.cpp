// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/ElementwiseToLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
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

void elementwiseWithLayoutsToLinalg(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    auto lacksOutput = [&](Type result) {
      auto type = dyn_cast<RankedTensorType>(result);
      return type && type.getEncoding() &&
             !llvm::is_contained(op->getOperandTypes(), result);
    };
    if (isElementwiseOnTensors(op) &&
        llvm::any_of(op->getResultTypes(), lacksOutput))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs =
        llvm::filter_to_vector(op->getOperands(), [](Value operand) {
          return isa<RankedTensorType>(operand.getType());
        });
    auto shape = cast<RankedTensorType>(inputs.front().getType());
    SmallVector<Value> outputs;
    for (Type result : op->getResultTypes()) {
      auto type = cast<RankedTensorType>(result);
      outputs.push_back(tensor::EmptyOp::create(
          rewriter, op->getLoc(),
          tensor::getMixedSizes(rewriter, op->getLoc(), inputs.front()),
          type.getElementType(), type.getEncoding()));
    }
    SmallVector<AffineMap> maps(
        inputs.size() + outputs.size(),
        rewriter.getMultiDimIdentityMap(shape.getRank()));
    SmallVector<utils::IteratorType> iterators(shape.getRank(),
                                               utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inner, Location loc, ValueRange elements) {
      IRMapping scalars;
      for (auto [tensor, element] : llvm::zip(inputs, elements))
        scalars.map(tensor, element);
      Operation *scalar = inner.clone(*op, scalars);
      for (Value result : scalar->getResults())
        result.setType(getElementTypeOrSelf(result.getType()));
      linalg::YieldOp::create(inner, loc, scalar->getResults());
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op->getResultTypes(), inputs, outputs, maps, iterators, body);
  }
}

} // namespace npu
