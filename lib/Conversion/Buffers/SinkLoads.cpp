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

/// The first operation of this block that uses a result of `op`, or contains an
/// operation that does; null where there is none.
Operation *firstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  return first;
}

struct SinkLoadsPass : impl::SinkLoadsBase<SinkLoadsPass> {
  using SinkLoadsBase::SinkLoadsBase;

  void runOnOperation() override {
    // Move users before the loads that they use, so that the first user of each
    // load is at its final place.
    SmallVector<Operation *> movable;
    getOperation()->walk([&](Operation *op) {
      auto transfer = dyn_cast<TransferOp>(op);
      if ((op->getNumResults() == 1 && isUnwritten(op->getResult(0))) ||
          (transfer &&
           static_cast<int64_t>(transfer.getFrom()) == TransferOp::ddr))
        movable.push_back(op);
    });
    // Loads for one operation keep their order: visited backwards, each goes in
    // front of the load visited before.
    llvm::DenseMap<Operation *, Operation *> before;
    for (Operation *op : llvm::reverse(movable))
      if (Operation *user = firstUser(op)) {
        auto [place, isNew] = before.try_emplace(user, user);
        op->moveBefore(place->second);
        place->second = op;
      }
  }
};

} // namespace
} // namespace npu
