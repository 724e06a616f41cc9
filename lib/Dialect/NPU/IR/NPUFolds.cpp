// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds and canonicalizations: cast chains become one cast, inverse pairs
// vanish, and no data moves twice or for nothing. All of them are safe beside
// other dialects' patterns: they look at operations of this dialect only.

#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace npu {
namespace {

/// Two permute_casts in a row are one. Where the value between them claims
/// another placement than the memory has, the chain is left for the verifier.
struct ComposePermuteCasts : OpRewritePattern<PermuteCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteCastOp second,
                                PatternRewriter &rewriter) const override {
    auto first = second.getInput().getDefiningOp<PermuteCastOp>();
    if (!first)
      return rewriter.notifyMatchFailure(second, "not a chain of casts");
    if (!hasSameMemory(first) || !hasSameMemory(second))
      return rewriter.notifyMatchFailure(second, "incompatible distributions");
    if (first.getInput().getType() == second.getType()) {
      rewriter.replaceOp(second, first.getInput());
      return success();
    }
    Permutation memPerm =
        compose(toExtents(first.getMemPerm()), toExtents(second.getMemPerm()));
    auto composed = PermuteCastOp::create(
        rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}),
        second.getType(), first.getInput(),
        ArrayRef<int64_t>(memPerm.begin(), memPerm.size()));
    rewriter.replaceOp(second, composed);
    return success();
  }
};

/// A redistribution to what every tile already holds moves nothing.
struct RedistributeToCast : OpRewritePattern<RedistributeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType source = op.getInput().getType();
    RankedTensorType target = op.getResult().getType();
    const Placement *held = getPlacement(source);
    const Placement *wanted = getPlacement(target);
    if (!held || !wanted || getOrder(source) != getOrder(target) ||
        !memoryContains(*held, *wanted))
      return rewriter.notifyMatchFailure(op, "data moves");
    auto cast = DistributionCastOp::create(rewriter, op.getLoc(), target,
                                           op.getInput());
    cast->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, cast);
    return success();
  }
};

/// Replaces a move or a cast by one redistribute of `from`.
void replaceByMove(PatternRewriter &rewriter, Operation *op, Location loc,
                   Value from) {
  Value result = op->getResult(0);
  auto moved = RedistributeOp::create(
      rewriter, loc, cast<RankedTensorType>(result.getType()), from);
  setPadding(cast<OpResult>(moved.getResult()), paddingOf(result));
  rewriter.replaceOp(op, moved);
}

/// redistribute(redistribute x): straight from x. Directly is never dearer:
/// what tile t lacks of the last placement, it lacked or received on the way.
struct MergeRedistributes : OpRewritePattern<RedistributeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getInput().getDefiningOp<RedistributeOp>();
    if (!first || !first->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the first one has other users");
    replaceByMove(rewriter, op,
                  rewriter.getFusedLoc({first.getLoc(), op.getLoc()}),
                  first.getInput());
    return success();
  }
};

/// redistribute(distribution_cast x): from all that x has, which is never less
/// than the cast left of it.
struct RedistributeOfCast : OpRewritePattern<RedistributeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RedistributeOp op,
                                PatternRewriter &rewriter) const override {
    auto cast = op.getInput().getDefiningOp<DistributionCastOp>();
    if (!cast)
      return rewriter.notifyMatchFailure(op, "not of a cast");
    replaceByMove(rewriter, op, op.getLoc(), cast.getInput());
    return success();
  }
};

/// distribution_cast(redistribute x): only what the cast leaves is moved.
struct CastOfRedistribute : OpRewritePattern<DistributionCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DistributionCastOp op,
                                PatternRewriter &rewriter) const override {
    auto moved = op.getInput().getDefiningOp<RedistributeOp>();
    if (!moved || !moved->hasOneUse())
      return rewriter.notifyMatchFailure(op,
                                         "the redistribute has other users");
    replaceByMove(rewriter, op,
                  rewriter.getFusedLoc({moved.getLoc(), op.getLoc()}),
                  moved.getInput());
    return success();
  }
};

} // namespace

/// Equal types with a trivial mem_perm: every byte is read as what it was.
OpFoldResult PermuteCastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult DistributionCastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto first = getInput().getDefiningOp<DistributionCastOp>()) {
    getInputMutable().assign(first.getInput());
    return getResult();
  }
  return {};
}

OpFoldResult RedistributeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

void PermuteCastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ComposePermuteCasts>(context);
}

void DistributionCastOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<CastOfRedistribute>(context);
}

void RedistributeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<RedistributeToCast, MergeRedistributes, RedistributeOfCast>(
      context);
}

} // namespace npu
