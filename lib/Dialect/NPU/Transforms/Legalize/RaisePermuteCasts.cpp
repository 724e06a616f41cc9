// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-raise-permute-casts: finds the transposes and reshapes that only re-read
// memory.

#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_RAISEPERMUTECASTS
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h.inc"

namespace {

bool fits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() <= kMaxRank &&
         (!type.getEncoding() || isa<LayoutAttr>(type.getEncoding()));
}

/// Whether `op` is a view of all entries under another shape.
bool isReshape(Operation *op) {
  Value viewed = viewedTensor(op);
  auto from = viewed ? dyn_cast<RankedTensorType>(viewed.getType())
                     : RankedTensorType();
  auto to = from ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                 : RankedTensorType();
  return to && from.hasStaticShape() && to.hasStaticShape() &&
         from.getNumElements() == to.getNumElements() &&
         from.getShape() != to.getShape();
}

/// Matches a chain of reshapes that ends at `op`: its input is the first value
/// of the result's rank, going up from `op`, whose extents other than 1 are the
/// same in the same order.
std::optional<LogicalPermutation> matchReshapes(Operation *op) {
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  if (!fits(op->getResult(0)) || !resultType.hasStaticShape())
    return std::nullopt;
  auto dimsOf = [](ArrayRef<int64_t> shape, bool units) {
    SmallVector<int64_t> dims;
    for (auto [dim, extent] : llvm::enumerate(shape))
      if ((extent == 1) == units)
        dims.push_back(static_cast<int64_t>(dim));
    return dims;
  };
  Value input = op->getResult(0);
  while (auto *reshape = input.getDefiningOp()) {
    if (!isReshape(reshape))
      break;
    // Do not skip a reshape that moves data between tiles.
    if (touchesTiles(reshape)) {
      std::optional<OpAccess> access = OpAccess::get(reshape);
      if (!access || !isDistributed(reshape->getResult(0).getType()) ||
          findShortage(*access, reshape, iterationsForMemory(*access, reshape)))
        break;
    }
    input = reshape->getOperand(0);
    auto inputType = cast<RankedTensorType>(input.getType());
    if (!fits(input) || !inputType.hasStaticShape())
      break;
    ArrayRef<int64_t> from = inputType.getShape(), to = resultType.getShape();
    SmallVector<int64_t> fromDims = dimsOf(from, false);
    SmallVector<int64_t> toDims = dimsOf(to, false);
    if (inputType.getRank() != resultType.getRank() ||
        !llvm::equal(
            llvm::map_range(fromDims, [&](int64_t d) { return from[d]; }),
            llvm::map_range(toDims, [&](int64_t d) { return to[d]; })))
      continue;
    Permutation inputDims(resultType.getRank());
    for (auto [f, t] : llvm::zip_equal(fromDims, toDims))
      inputDims[t] = f;
    for (auto [f, t] : llvm::zip_equal(dimsOf(from, true), dimsOf(to, true)))
      inputDims[t] = f;
    return LogicalPermutation{input, inputDims};
  }
  return std::nullopt;
}

/// The mem_perm of the permute_cast with this map of dimensions.
Permutation memPermFor(RankedTensorType input, RankedTensorType result,
                       const Permutation &inputDims) {
  Permutation toMemory = inverse(getOrder(input));
  Permutation memPerm;
  for (int64_t dim : getOrder(result))
    memPerm.push_back(toMemory[inputDims[dim]]);
  return memPerm;
}

struct RaisePermuteCastsPass
    : impl::RaisePermuteCastsBase<RaisePermuteCastsPass> {
  void runOnOperation() override {
    if (failed(verifyLayoutsFit(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      if (isReshape(op) || (structured && matchTranspose(structured)))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    llvm::SmallSetVector<Operation *, 8> raised;
    // Go backwards, so that the longest chain of reshapes is matched as a
    // whole.
    for (Operation *op : llvm::reverse(ops))
      if (raise(op, rewriter))
        raised.insert(op);
    // Erase operations that are not used any more: reshapes inside of chains,
    // empty outputs.
    while (!raised.empty()) {
      Operation *op = raised.pop_back_val();
      if (!isOpTriviallyDead(op))
        continue;
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          raised.insert(producer);
      rewriter.eraseOp(op);
    }
  }

  static bool raise(Operation *op, IRRewriter &rewriter) {
    if (op->use_empty() || !fits(op->getResult(0)))
      return false;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    std::optional<LogicalPermutation> found =
        structured ? matchTranspose(structured) : matchReshapes(op);
    if (!found)
      return false;
    auto input = cast<RankedTensorType>(found->input.getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    Permutation memPerm = memPermFor(input, result, found->inputDims);
    Extents memShape = permute(toExtents(input.getShape()), getOrder(input));
    if (!isTrivialMemPerm(memShape, memPerm)) {
      remarkLeftAlone(op, [] { return "its bytes change their order"; });
      return false;
    }

    rewriter.setInsertionPoint(op);
    auto cast = PermuteCastOp::create(
        rewriter, op->getLoc(), result, found->input,
        ArrayRef<int64_t>(memPerm.begin(), memPerm.size()));
    RankedTensorType expected = withLayout(result, getExpectedLayout(cast));
    Relation relation = relate(expected, result);
    if (relation == Relation::DataMoves) {
      rewriter.eraseOp(cast);
      remarkLeftAlone(op, [] { return "data moves between tiles"; });
      return false;
    }
    Value raised = cast;
    if (relation != Relation::Identical) {
      cast.getResult().setType(expected);
      raised = DistributionCastOp::create(rewriter, op->getLoc(), result, cast);
    }
    remarkDone("raise", op, 0, [] { return "it only re-reads memory"; });
    rewriter.replaceAllUsesWith(op->getResult(0), raised);
    return true;
  }
};

} // namespace
} // namespace npu
