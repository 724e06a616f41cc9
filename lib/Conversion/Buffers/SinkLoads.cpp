// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-sink-loads: moves loads down, so that buffers take no space in a
// scratchpad before they are needed.

#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SINKLOADS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

bool isLoad(Operation *op) {
  if (auto transfer = dyn_cast<TransferOp>(op))
    return static_cast<int64_t>(transfer.getFrom()) == TransferOp::ddr;
  return op->getNumResults() == 1 && isUnwritten(op->getResult(0));
}

struct SinkLoadsPass : impl::SinkLoadsBase<SinkLoadsPass> {
  using SinkLoadsBase::SinkLoadsBase;

  void runOnOperation() override {
    SmallVector<Operation *> loads;
    getOperation()->walk([&](Operation *op) {
      if (isLoad(op))
        loads.push_back(op);
    });
    // Find all places before anything moves: a block numbers its operations
    // again when it is asked for their order after a move. Users come first, so
    // that a load for a load goes to where that one goes.
    for (Operation *load : llvm::reverse(loads))
      if (Operation *user = firstUser(load))
        places.try_emplace(load, user);
    // Loads for one operation keep their order.
    for (Operation *load : loads)
      if (Operation *user = places.lookup(load))
        load->moveBefore(user);
    places.clear();
  }

private:
  /// The first operation of this block that uses a result of `op`, or contains
  /// an operation that does, where loads stand at their places; null where
  /// there is none.
  Operation *firstUser(Operation *op) const {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      if (Operation *place = places.lookup(here))
        here = place;
      if (here && (!first || here->isBeforeInBlock(first)))
        first = here;
    }
    return first;
  }

  /// For each load the operation in front of which it goes, which is none.
  llvm::DenseMap<Operation *, Operation *> places;
};

} // namespace
} // namespace npu
