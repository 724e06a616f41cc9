// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The npu dialect's patterns for the framework of mlir-reduce.

#include "npu/Reduce/ReduceModule.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// Of two operations of one kind in a row the first is left out: what is
/// redistributed or relabelled twice.
template <typename Op>
struct SkipTheFirst : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto first = op->getOperand(0).template getDefiningOp<Op>();
    if (!first)
      return failure();
    rewriter.modifyOpInPlace(op,
                             [&] { op->setOperand(0, first->getOperand(0)); });
    return success();
  }
};

/// A redistribution that could be a relabelling, and a relabelling of nothing,
/// become what is less.
struct RelabelInstead : OpRewritePattern<RedistributeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<DistributionCastOp>(op, op.getType(),
                                                    op->getOperand(0));
    return success();
  }
};

/// A tensor of any values in place of what is moved or cast.
template <typename Op>
struct EmptyInstead : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
        op, type.getShape(), type.getElementType(), type.getEncoding());
    return success();
  }
};

struct NPUReductionPatterns : DialectReductionPatternInterface {
  explicit NPUReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<SkipTheFirst<RedistributeOp>, SkipTheFirst<DistributionCastOp>,
                 RelabelInstead, EmptyInstead<RedistributeOp>,
                 EmptyInstead<DistributionCastOp>, EmptyInstead<PermuteCastOp>>(
        patterns.getContext());
  }
};

} // namespace

void registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NPUDialect *dialect) {
    context->getOrLoadDialect<tensor::TensorDialect>();
    dialect->addInterfaces<NPUReductionPatterns>();
  });
}

} // namespace npu
