// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Crossings.h"

#include "npu/ExternalModels/Tensor/TensorOps.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace npu {
namespace {

/// Values that are still to be visited, each once.
class Queue {
public:
  void add(Value value) {
    if (isa<RankedTensorType>(value.getType()) && seen.insert(value).second)
      values.push_back(value);
  }
  Value take() { return values.empty() ? Value() : values.pop_back_val(); }

private:
  llvm::SmallVector<Value> values;
  llvm::DenseSet<Value> seen;
};

bool isOfDdr(int64_t tile) { return tile == TransferOp::ddr; }

bool storesToDdr(TransferOp transfer) {
  return !isOfDdr(static_cast<int64_t>(transfer.getFrom())) &&
         llvm::all_of(transfer.getTo(), isOfDdr);
}

/// Whether the operation's result has entries of its operands, at other places.
bool handsOn(Operation *op) {
  return isa<PermuteCastOp>(op) || isPartOrReshape(op) || putsBesideOthers(op);
}

} // namespace

int64_t Crossings::fromTiles(Operation *op) {
  Queue queue;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                         captured.takeVector()))
    queue.add(value);
  int64_t bytes = 0;
  while (Value value = queue.take()) {
    Operation *made = value.getDefiningOp();
    if (!made)
      continue;
    if (auto transfer = dyn_cast<TransferOp>(made)) {
      if (storesToDdr(transfer) && counted.insert(transfer).second)
        bytes += static_cast<int64_t>(transfer.getBytes());
      queue.add(transfer.getDests()[cast<OpResult>(value).getResultNumber()]);
    } else if (handsOn(made)) {
      for (Value operand : made->getOperands())
        queue.add(operand);
    }
  }
  return bytes;
}

int64_t Crossings::toTiles(Operation *op) {
  Queue queue;
  for (Value result : op->getResults())
    queue.add(result);
  int64_t bytes = 0;
  while (Value value = queue.take())
    for (OpOperand &use : value.getUses()) {
      auto transfer = dyn_cast<TransferOp>(use.getOwner());
      if (!transfer) {
        if (handsOn(use.getOwner()))
          queue.add(use.getOwner()->getResult(0));
        continue;
      }
      if (use.getOperandNumber() != 0) {
        queue.add(transfer.getResults()[use.getOperandNumber() - 1]);
        continue;
      }
      auto tiles = static_cast<int64_t>(llvm::count_if(
          transfer.getTo(), [](int64_t tile) { return !isOfDdr(tile); }));
      if (tiles > 0 && counted.insert(transfer).second)
        bytes += tiles * static_cast<int64_t>(transfer.getBytes());
    }
  return bytes;
}

} // namespace npu
