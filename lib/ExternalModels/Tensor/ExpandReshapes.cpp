// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/Tensor/ExpandReshapes.h"

#include "PlainRewrites.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether the operation may run on the tensor before the reshape: it is
/// elementwise or reduces, and says nothing about dimensions beside its maps.
bool mayBeExpanded(OpOperand *operand) {
  auto reader = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto reshape = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!reader || !reshape || reader->getNumResults() != 1 ||
      linalg::isaContractionOpInterface(reader) ||
      linalg::isaConvolutionOpInterface(reader) ||
      !reshape.getSrc().getDefiningOp<linalg::LinalgOp>())
    return false;
  return isPlain(reader);
}

/// An expansion that gives back what was collapsed.
struct DropExpansionOfCollapse : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || collapse.getSrcType() != expand.getResultType() ||
        collapse.getReassociation() != expand.getReassociation())
      return failure();
    rewriter.replaceOp(expand, collapse.getSrc());
    return success();
  }
};

} // namespace

void expandReshapes(FunctionOpInterface function) {
  RewritePatternSet patterns(function.getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayBeExpanded);
  patterns.add<DropExpansionOfCollapse>(function.getContext());
  // Outputs that nobody has written, or that have one value, are made expanded.
  linalg::FillOp::getCanonicalizationPatterns(patterns, function.getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  applyAlone(function, std::move(patterns));
}

} // namespace npu
