// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds and canonicalizations: chains of casts become one cast, inverse pairs
// are removed, and data is not moved twice or without need. All of them are
// safe together with patterns of other dialects, because they match operations
// of this dialect only.

#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether the cast is of a part in a tile program, which gets other indices
/// (`npu.begin`) or another order of dimensions (`npu.order`).
bool isOfPart(PermuteCastOp op) {
  return op->hasAttr(NPUDialect::BeginAttrHelper::getNameStr()) ||
         op->hasAttr(NPUDialect::OrderAttrHelper::getNameStr());
}

/// Merges two permute_casts in a row. Where the value between them is declared
/// under another placement than its memory has, the chain is left to the
/// verifier.
LogicalResult composePermuteCasts(PermuteCastOp second,
                                  PatternRewriter &rewriter) {
  auto first = second.getInput().getDefiningOp<PermuteCastOp>();
  if (!first)
    return rewriter.notifyMatchFailure(second, "not a chain of casts");
  // A tile's casts rename parts, and each has its own offset.
  if (isOfPart(first) || isOfPart(second))
    return rewriter.notifyMatchFailure(second, "casts of a tile's part");
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

/// Replaces a redistribution whose tiles hold the result already by a cast.
LogicalResult redistributeToCast(RedistributeOp op, PatternRewriter &rewriter) {
  RankedTensorType source = op.getInput().getType();
  RankedTensorType target = op.getResult().getType();
  const Placement *held = getPlacement(source);
  const Placement *wanted = getPlacement(target);
  bool isImage = getStorage(source) != Storage::Linear;
  if (!held || !wanted || getOrder(source) != getOrder(target) ||
      getStorage(source) != getStorage(target) ||
      !(isImage ? sameMemory(*held, *wanted) : memoryContains(*held, *wanted)))
    return rewriter.notifyMatchFailure(op, "data moves");
  auto cast =
      DistributionCastOp::create(rewriter, op.getLoc(), target, op.getInput());
  cast->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, cast);
  return success();
}

/// Replaces a move or a cast by one redistribute of `from`.
void replaceByMove(PatternRewriter &rewriter, Operation *op, Location loc,
                   Value from) {
  Value result = op->getResult(0);
  auto moved = RedistributeOp::create(
      rewriter, loc, cast<RankedTensorType>(result.getType()), from);
  setPadding(cast<OpResult>(moved.getResult()), paddingOf(result));
  rewriter.replaceOp(op, moved);
}

/// Whether a value is stored to DDR by `store` and loaded again by `load` while
/// something else runs: that is a spill, which leaves the scratchpads to others
/// meanwhile.
bool isSpill(RedistributeOp store, RedistributeOp load) {
  if (!isDistributed(store.getInput().getType()) ||
      isDistributed(store.getType()) || !isDistributed(load.getType()))
    return false;
  if (store->getBlock() != load->getBlock())
    return true;
  for (Operation *op = store->getNextNode(); op && op != load;
       op = op->getNextNode())
    if (!isa<RedistributeOp, DistributionCastOp>(op) &&
        !op->hasTrait<OpTrait::ConstantLike>() &&
        llvm::any_of(op->getOperandTypes(),
                     [](Type type) { return isa<RankedTensorType>(type); }))
      return true;
  return false;
}

/// Rewrites redistribute(redistribute x) to one redistribution of x. It never
/// moves more: an element that tile t lacks of the final placement, the tile
/// lacked of x or received on the way. Spills stay as they are.
LogicalResult mergeRedistributes(RedistributeOp op, PatternRewriter &rewriter) {
  auto first = op.getInput().getDefiningOp<RedistributeOp>();
  if (!first || !first->hasOneUse())
    return rewriter.notifyMatchFailure(op, "the first one has other users");
  if (isSpill(first, op))
    return rewriter.notifyMatchFailure(op, "a spill");
  replaceByMove(rewriter, op,
                rewriter.getFusedLoc({first.getLoc(), op.getLoc()}),
                first.getInput());
  return success();
}

/// Rewrites redistribute(distribution_cast x) to a redistribution of x, whose
/// tiles hold at least what the cast leaves.
LogicalResult redistributeOfCast(RedistributeOp op, PatternRewriter &rewriter) {
  auto cast = op.getInput().getDefiningOp<DistributionCastOp>();
  if (!cast)
    return rewriter.notifyMatchFailure(op, "not of a cast");
  replaceByMove(rewriter, op, op.getLoc(), cast.getInput());
  return success();
}

/// Rewrites distribution_cast(redistribute x) to a redistribution that moves
/// only what the cast leaves.
LogicalResult castOfRedistribute(DistributionCastOp op,
                                 PatternRewriter &rewriter) {
  auto moved = op.getInput().getDefiningOp<RedistributeOp>();
  if (!moved || !moved->hasOneUse())
    return rewriter.notifyMatchFailure(op, "the redistribute has other users");
  replaceByMove(rewriter, op,
                rewriter.getFusedLoc({moved.getLoc(), op.getLoc()}),
                moved.getInput());
  return success();
}

/// Makes a change of the storage kind an operation of its own, on the tiles of
/// the side that is an image.
LogicalResult splitStorageChange(RedistributeOp op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  if (getStorage(from) == getStorage(to))
    return rewriter.notifyMatchFailure(op, "of one storage kind");
  Padding padding = paddingOf(op.getResult());
  auto said = [&](auto made) {
    setPadding(cast<OpResult>(made.getResult()), padding);
    return made;
  };
  if (getStorage(to) == Storage::Linear) {
    RankedTensorType plain = withStorage(from, Storage::Linear);
    auto unpacked = said(
        ConvertStorageOp::create(rewriter, op.getLoc(), plain, op.getInput()));
    rewriter.replaceOp(
        op, said(RedistributeOp::create(rewriter, op.getLoc(), to, unpacked)));
    return success();
  }
  RankedTensorType plain = withStorage(to, Storage::Linear);
  auto moved =
      said(RedistributeOp::create(rewriter, op.getLoc(), plain, op.getInput()));
  rewriter.replaceOp(
      op, said(ConvertStorageOp::create(rewriter, op.getLoc(), to, moved)));
  return success();
}

} // namespace

/// With equal types and a trivial mem_perm, the cast is the identity. In a tile
/// program it gives a part other indices, or another order of dimensions.
OpFoldResult PermuteCastOp::fold(FoldAdaptor) {
  return !isOfPart(*this) && getInput().getType() == getType() ? getInput()
                                                               : Value();
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

/// A conversion and back is none. In a tile program it stays: there, each of
/// them is a part of an operation.
OpFoldResult ConvertStorageOp::fold(FoldAdaptor) {
  auto first = getInput().getDefiningOp<ConvertStorageOp>();
  return first && hasLayout(getType()) &&
                 first.getInput().getType() == getType()
             ? first.getInput()
             : Value();
}

OpFoldResult RedistributeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

void PermuteCastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add(composePermuteCasts);
}

void DistributionCastOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(castOfRedistribute);
}

void RedistributeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add(redistributeToCast);
  patterns.add(mergeRedistributes);
  patterns.add(redistributeOfCast);
  patterns.add(splitStorageChange);
}

} // namespace npu
