// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Access/Transposes.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {

static bool fits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() <= kMaxRank &&
         (!type.getEncoding() || isa<LayoutAttr>(type.getEncoding()));
}

static std::optional<LogicalPermutation> matchStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  Value input = op.getDpsInputOperand(0)->get();
  Operation *yield = op.getBlock()->getTerminator();
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!fits(input) || yield->getOperand(0) != op.getBlock()->getArgument(0) ||
      !from.isPermutation() || !to.isPermutation())
    return std::nullopt;
  Permutation inputDims;
  for (unsigned dim = 0; dim < to.getNumResults(); ++dim)
    inputDims.push_back(*from.getResultPosition(to.getResult(dim)));
  return LogicalPermutation{input, inputDims};
}

std::optional<LogicalPermutation> matchTranspose(Operation *op) {
  if (auto cast = dyn_cast<PermuteCastOp>(op))
    return LogicalPermutation{cast.getInput(), getInputDimensions(cast)};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return matchStructured(structured);
  return std::nullopt;
}

} // namespace npu
