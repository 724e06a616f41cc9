// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-sink-loads: nothing takes room in a scratchpad before it is needed.

#include "npu/Conversion/Buffers/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/RemakeableOpInterface.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_SINKLOADS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

/// The first operation of this block that uses a result, or has one inside that
/// does; null without users.
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
    // Users first: what a load waits for has found its own place already.
    SmallVector<Operation *> movable;
    getOperation()->walk([&](Operation *op) {
      auto transfer = dyn_cast<TransferOp>(op);
      if ((op->getNumResults() == 1 && isUnwritten(op->getResult(0))) ||
          (transfer &&
           static_cast<int64_t>(transfer.getFrom()) == TransferOp::ddr))
        movable.push_back(op);
    });
    // Loads for one operation keep their order: each goes before the last.
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
