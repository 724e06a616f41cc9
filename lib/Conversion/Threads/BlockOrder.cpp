// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockOrder.h"

#include "TileSchedule.h"

using namespace mlir;

namespace npu {

void forEachOperand(Operation *root,
                    llvm::function_ref<void(OpOperand &)> visit) {
  root->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      visit(operand);
  });
}

BlockOrder::BlockOrder(Block &block) : block(block) {
  for (Operation &op : block.without_terminator())
    if (isMadeWhereUsed(&op))
      made.push_back(&op);
}

Operation *BlockOrder::madeHere(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block && isMadeWhereUsed(op) ? op : nullptr;
}

void BlockOrder::requireOperands(Operation *op) {
  forEachOperand(op, [&](OpOperand &operand) {
    if (Operation *definition = madeHere(operand.get()))
      place(definition);
  });
}

void BlockOrder::place(Operation *op) {
  if (!placed.insert(op).second)
    return;
  requireOperands(op);
  op->moveBefore(block.getTerminator());
}

void BlockOrder::finish() {
  requireOperands(block.getTerminator());
  for (Operation *op : llvm::reverse(made)) {
    if (placed.contains(op) || op->getBlock() != &block)
      continue;
    if (op->use_empty())
      op->erase();
    else if (op->isUsedOutsideOfBlock(&block))
      place(op);
  }
}

} // namespace npu
