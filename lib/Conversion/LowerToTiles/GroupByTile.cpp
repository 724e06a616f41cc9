// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// List scheduling: the operations of a block are queues, one for each tile and
// one for everything else. A transfer between tiles is in the queues of all of
// them, so that each tile does the same in the same order as before, and
// overwrites nothing that another one has yet to be sent. A queue is emptied
// until its first operation waits for another queue; then the operation that
// came first in the old order is next, which never waits.

#include "GroupByTile.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>

using namespace mlir;

namespace npu {
namespace {

/// The queue of operations that no tile does.
constexpr int64_t ofNoTile = -1;

using Queues = SmallVector<int64_t, 4>;

/// Adds the tiles that do the operation, the receivers of a transfer first.
/// What a loop or a branch does, it does for all tiles in it.
void addQueues(Operation *op, Queues &tiles) {
  auto add = [&](int64_t tile) {
    if (tile != TransferOp::ddr && !llvm::is_contained(tiles, tile))
      tiles.push_back(tile);
  };
  if (auto transfer = dyn_cast<TransferOp>(op)) {
    llvm::for_each(transfer.getTo(), add);
    add(static_cast<int64_t>(transfer.getFrom()));
  } else if (auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName)) {
    add(tile.getInt());
  } else {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        addQueues(&inner, tiles);
  }
}

class BlockOrder {
public:
  explicit BlockOrder(Block &block) : block(block) {
    Operation *lastEffect = nullptr;
    queues[ofNoTile];
    for (Operation &op : block.without_terminator()) {
      old.push_back(&op);
      Queues &tiles = queuesOf[&op];
      addQueues(&op, tiles);
      if (tiles.empty())
        tiles.push_back(ofNoTile);
      for (int64_t tile : tiles)
        queues[tile].push_back(&op);
      if (isMemoryEffectFree(&op))
        continue;
      if (lastEffect)
        after[&op] = lastEffect;
      lastEffect = &op;
    }
  }

  void apply() {
    order.reserve(old.size());
    for (Operation *first : old)
      // What no tile does is placed whenever it can be: tiles wait for it.
      while (!placed.contains(first) || placeReady(ofNoTile)) {
        placeReady(ofNoTile);
        placeReady(queuesOf[first].front());
      }
    for (Operation *op : order)
      op->moveBefore(&block, --block.end());
  }

private:
  /// Places the operations of a queue up to the first that waits. Returns
  /// whether there were any.
  bool placeReady(int64_t tile) {
    auto &queue = queues[tile];
    size_t before = order.size();
    while (!queue.empty() && isReady(queue.front())) {
      Operation *op = queue.front();
      for (int64_t other : queuesOf[op])
        queues[other].pop_front();
      placed.insert(op);
      order.push_back(op);
    }
    return order.size() > before;
  }

  /// Whether all that the operation waits for is placed: what is before it in
  /// its queues, what it uses of the block, and an operation with effects.
  bool isReady(Operation *op) {
    for (int64_t tile : queuesOf[op])
      if (queues[tile].front() != op)
        return false;
    if (Operation *before = after.lookup(op);
        before && !placed.contains(before))
      return false;
    auto isPlaced = [&](Value value) {
      Operation *definer = value.getDefiningOp();
      return !definer || definer->getBlock() != &block ||
             placed.contains(definer);
    };
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    return llvm::all_of(op->getOperands(), isPlaced) &&
           llvm::all_of(captured, isPlaced);
  }

  Block &block;
  std::vector<Operation *> old, order;
  llvm::DenseMap<int64_t, std::deque<Operation *>> queues;
  llvm::DenseMap<Operation *, Queues> queuesOf;
  /// The operation with effects before each operation with effects.
  llvm::DenseMap<Operation *, Operation *> after;
  llvm::DenseSet<Operation *> placed;
};

} // namespace

void groupByTile(ModuleOp module) {
  module.walk([](Block *block) {
    bool hasTerminator =
        !block->empty() && block->back().hasTrait<OpTrait::IsTerminator>();
    if (hasTerminator)
      BlockOrder(*block).apply();
  });
}

} // namespace npu
