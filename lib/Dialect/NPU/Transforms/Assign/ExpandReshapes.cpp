// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandReshapes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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
      !reshape.getSrc().getDefiningOp<linalg::LinalgOp>() ||
      llvm::any_of(reader->getOperandTypes(), hasLayout))
    return false;
  return llvm::none_of(reader->getDiscardableAttrs(), [](NamedAttribute attr) {
    return attr.getName().strref().starts_with("npu.");
  });
}

} // namespace

void expandReshapes(FunctionOpInterface function) {
  RewritePatternSet patterns(function.getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayBeExpanded);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns,
                                                     function.getContext());
  // Outputs that nobody has written, or that have one value, are made expanded.
  linalg::FillOp::getCanonicalizationPatterns(patterns, function.getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  // What it leaves alone stays as it is.
  (void)applyPatternsGreedily(function, std::move(patterns));
}

} // namespace npu
