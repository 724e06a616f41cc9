// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Kernels/Lookup.h"

#include "npu/Interfaces/ModelOf.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;

namespace npu {

SmallVector<EntryReadOpInterface> tableReads(linalg::LinalgOp op) {
  SmallVector<EntryReadOpInterface> reads;
  op.getBlock()->walk([&](Operation *inner) {
    if (auto read = modelOf<EntryReadOpInterface>(inner))
      reads.push_back(read);
  });
  return reads;
}

BodySlice sliceOf(Block *body, ValueRange values) {
  BodySlice slice;
  SmallVector<Value> pending(values);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == body) {
      slice.arguments.insert(argument);
      continue;
    }
    Operation *maker =
        argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    Operation *inBody = body->findAncestorOpInBlock(*maker);
    if (inBody && slice.operations.insert(inBody))
      inBody->walk([&](Operation *inner) {
        llvm::append_range(pending, inner->getOperands());
      });
  }
  slice.operations = topologicalSort(slice.operations);
  return slice;
}

SmallVector<OpOperand *> positionsOfLookup(linalg::LinalgOp op) {
  SmallVector<Value> positions;
  for (EntryReadOpInterface read : tableReads(op))
    for (OpOperand &position : MutableOperandRange(read.getReadPosition()))
      positions.push_back(position.get());
  SmallVector<OpOperand *> found;
  if (positions.empty())
    return found;
  BodySlice slice = sliceOf(op.getBlock(), positions);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    bool isPosition = argument.getType().isIntOrIndex() &&
                      !argument.getType().isInteger(1) &&
                      isa<TensorType>(input->get().getType());
    if (isPosition && slice.arguments.contains(argument))
      found.push_back(input);
  }
  return found;
}

} // namespace npu
