// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopOrder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace npu {

/// The order of loops, where another one is better.
static std::optional<SmallVector<unsigned>> fastOrder(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 2 || op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last)
    return std::nullopt;
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < loops; ++loop)
    if (loop != last.getPosition())
      order.push_back(loop);
  order.push_back(last.getPosition());
  return order;
}

void generalizeForSpeed(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::LinalgOp> named;
  SmallVector<linalg::GenericOp> generic;
  function.walk([&](linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics())
      return;
    if (auto already = dyn_cast<linalg::GenericOp>(op.getOperation()))
      generic.push_back(already);
    else
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (auto made = linalg::generalizeNamedOp(rewriter, op); succeeded(made))
      generic.push_back(*made);
  }
  for (linalg::GenericOp op : generic) {
    rewriter.setInsertionPoint(op);
    if (auto order = fastOrder(op))
      (void)linalg::interchangeGenericOp(rewriter, op, *order);
  }
}

} // namespace npu
