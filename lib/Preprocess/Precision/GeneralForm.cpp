// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GeneralForm.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace npu {

linalg::GenericOp generalFormOf(PrecisionPattern &pattern, Operation *&scalar) {
  Operation *op = scalar->getParentOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic;
  auto place =
      std::distance(scalar->getBlock()->begin(), scalar->getIterator());
  IRRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  // Fails for operations alone that are general already.
  linalg::GenericOp generic =
      *linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  llvm::replace(pattern.ops, op, generic.getOperation());
  if (pattern.last == op)
    pattern.last = generic;
  if (pattern.root == op)
    pattern.root = generic;
  scalar = &*std::next(generic.getBody()->begin(), place);
  return generic;
}

Value appendInput(linalg::GenericOp op, Value tensor, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned place = op.getNumDpsInputs();
  maps.insert(maps.begin() + place, map);
  op.getInputsMutable().append(tensor);
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  return op.getBody()->insertArgument(
      place, getElementTypeOrSelf(tensor.getType()), op.getLoc());
}

} // namespace npu
