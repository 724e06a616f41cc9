// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's fusion of elementwise operations, for chains alone.

#include "FuseElementwise.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {
namespace {

/// Merged operations have no more operations in their body, and no more
/// operands, than this: every merge copies both bodies.
constexpr std::size_t kMostOperations = 64;
constexpr unsigned kMostOperands = 16;

/// Whether an operation and what it is merged into make one of moderate size.
bool isModerate(Operation *producer, Operation *user) {
  auto sizeOf = [](Operation *op) {
    return op->getRegion(0).front().getOperations().size();
  };
  return sizeOf(producer) + sizeOf(user) <= kMostOperations &&
         producer->getNumOperands() + user->getNumOperands() <= kMostOperands;
}

/// Whether an operation computes each element from elements of its operands,
/// and reads nothing by position.
bool isElementwise(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      generic.getNumDpsInputs() == 0)
    return false;
  for (Operation &inner : *generic.getBody())
    if (llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<TensorType>))
      return false;
  return !generic.hasIndexSemantics();
}

} // namespace

LogicalResult fuseElementwise(FunctionOpInterface function) {
  RewritePatternSet patterns(function.getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [](OpOperand *operand) {
        Operation *producer = operand->get().getDefiningOp();
        return producer && producer->hasOneUse() && isElementwise(producer) &&
               isElementwise(operand->getOwner()) &&
               isModerate(producer, operand->getOwner());
      });
  return applyPatternsGreedily(function, std::move(patterns));
}

} // namespace npu
