// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that bufferization is expected to put into one place are one memory:
// an output and the result that is written into it, a slice and its source,
// what a loop hands on. A memory is held from its first write to its last use.

#include "TileView.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// The tile that the attribute names, or nothing.
std::optional<int64_t> tileOf(Operation *op) {
  auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
  return tile ? std::optional(tile.getInt()) : std::nullopt;
}

int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<int64_t> bits = type && type.hasStaticShape()
                                    ? elementBits(type.getElementType())
                                    : std::nullopt;
  return bits ? toBytes(type.getNumElements(), *bits) : 0;
}

/// The memories of a function's tiles, and when they are in use.
class Memories {
public:
  explicit Memories(FunctionOpInterface function) {
    // The entry's arguments are tensors in DDR.
    number(function);
    function->walk([&](Operation *op) { join(op); });
    for (const auto &[value, tile] : owners)
      record(value, tile);
  }

  /// The bytes that each tile holds from a position on, by position.
  using Profile = std::map<int64_t, int64_t>;
  std::map<int64_t, Profile> profiles() const {
    std::map<int64_t, Profile> changes;
    for (const auto &[leader, memory] : memories) {
      if (memory.bytes == 0 || !memory.tile)
        continue;
      changes[*memory.tile][memory.first] += memory.bytes;
      changes[*memory.tile][memory.last + 1] -= memory.bytes;
    }
    for (auto &[tile, profile] : changes) {
      int64_t held = 0;
      for (auto &[position, bytes] : profile)
        bytes = held += bytes;
    }
    return changes;
  }

  int64_t positionOf(Operation *op) const { return begins.lookup(op); }

private:
  struct Memory {
    std::optional<int64_t> tile;
    int64_t bytes = 0;
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  };

  void number(Operation *op) {
    begins[op] = next++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        number(&inner);
    ends[op] = next;
  }

  void join(Operation *op) {
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        owners[result] = std::nullopt;
    if (std::optional<int64_t> tile = tileOf(op))
      for (Value result : op->getResults())
        owners[result] = tile;
    if (auto transfer = dyn_cast<TransferOp>(op))
      for (auto [result, tile] :
           llvm::zip(transfer.getResults(), transfer.getTo()))
        owners[result] =
            tile == TransferOp::ddr ? std::nullopt : std::optional(tile);
    if (isPartOrReshape(op))
      places.unionSets(op->getOperand(0), op->getResult(0));
    if (auto writes = dyn_cast<DestinationStyleOpInterface>(op))
      for (OpOperand &output : writes.getDpsInitsMutable())
        if (isa<RankedTensorType>(output.get().getType()) &&
            output.get().hasOneUse())
          places.unionSets(output.get(), writes.getTiedOpResult(&output));
    joinRegions(op);
  }

  /// Joins what is handed into regions, from one iteration to the next, and out
  /// of them.
  void joinRegions(Operation *op) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      for (auto [init, argument] :
           llvm::zip(loop.getInits(), loop.getRegionIterArgs())) {
        owners.insert({argument, std::nullopt});
        places.unionSets(init, argument);
      }
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        if (block.empty() || !isa<RegionBranchOpInterface>(op))
          continue;
        Operation *yield = &block.back();
        if (!yield->hasTrait<OpTrait::ReturnLike>() ||
            yield->getNumOperands() != op->getNumResults())
          continue;
        for (auto [yielded, result] :
             llvm::zip(yield->getOperands(), op->getResults()))
          places.unionSets(yielded, result);
      }
  }

  void record(Value value, std::optional<int64_t> tile) {
    Memory &memory = memories[places.getOrInsertLeaderValue(value)];
    if (tile)
      memory.tile = tile;
    Operation *op = value.getDefiningOp();
    // Nothing has been written to it yet.
    if (isUnwritten(value))
      return;
    Operation *maker = op ? op : value.getParentBlock()->getParentOp();
    memory.bytes = std::max(memory.bytes, bytesOf(value));
    memory.first = std::min(memory.first, begins.lookup(maker));
    memory.last = std::max(memory.last, begins.lookup(maker));
    for (Operation *user : value.getUsers())
      memory.last = std::max(memory.last, endOfUse(value, user));
  }

  /// The last position at which a use needs the value: the end of the outermost
  /// loop that the use is in and the value's definition is not.
  int64_t endOfUse(Value value, Operation *user) const {
    int64_t end = begins.lookup(user);
    for (Operation *around = user->getParentOp();
         around &&
         !around->isProperAncestor(value.getParentBlock()->getParentOp()) &&
         around != value.getParentBlock()->getParentOp();
         around = around->getParentOp())
      end = std::max(end, ends.lookup(around) - 1);
    return end;
  }

  int64_t next = 0;
  llvm::DenseMap<Operation *, int64_t> begins, ends;
  /// The tile of every tensor that an operation names the tile of; nothing for
  /// others, which may be joined to one that has a tile.
  llvm::MapVector<Value, std::optional<int64_t>> owners;
  llvm::EquivalenceClasses<Value> places;
  llvm::DenseMap<Value, Memory> memories;
};

class ViewBuilder {
public:
  ViewBuilder(FunctionOpInterface function, size_t tiles)
      : memories(function), views(tiles) {
    collect(function.getFunctionBody(), 0);
    auto profiles = memories.profiles();
    for (auto [tile, view] : llvm::enumerate(views)) {
      const Memories::Profile &profile = profiles[static_cast<int64_t>(tile)];
      for (auto [position, bytes] : profile)
        view.heldMost = std::max(view.heldMost, bytes);
      for (TileStep &step : view.steps) {
        auto after = profile.upper_bound(memories.positionOf(step.op));
        step.held = after == profile.begin() ? 0 : std::prev(after)->second;
      }
    }
  }

  std::vector<TileView> take() { return std::move(views); }

private:
  void collect(Region &region, unsigned depth) {
    for (Operation &op : region.getOps()) {
      if (auto transfer = dyn_cast<TransferOp>(op)) {
        addTransfer(transfer, depth);
        continue;
      }
      if (std::optional<int64_t> tile = tileOf(&op)) {
        addOperation(&op, *tile, depth);
        continue;
      }
      for (Region &inner : op.getRegions())
        enter(&op, inner, depth);
    }
  }

  /// Adds the steps in a loop or a branch, below one that names it.
  void enter(Operation *op, Region &region, unsigned depth) {
    std::vector<size_t> before;
    for (TileView &view : views) {
      before.push_back(view.steps.size());
      view.steps.push_back({TileStep::Kind::Enters, op, depth, {}, 0, 0});
    }
    collect(region, depth + 1);
    for (auto [view, size] : llvm::zip(views, before))
      if (view.steps.size() == size + 1)
        view.steps.pop_back();
  }

  void addOperation(Operation *op, int64_t tile, unsigned depth) {
    if (isPartOrReshape(op) || llvm::any_of(op->getResults(), isUnwritten))
      return;
    ++views[tile].operations;
    views[tile].steps.push_back(
        {TileStep::Kind::Computes, op, depth, {}, 0, 0});
  }

  void addTransfer(TransferOp op, unsigned depth) {
    auto bytes = static_cast<int64_t>(op.getBytes());
    auto from = static_cast<int64_t>(op.getFrom());
    std::vector<int64_t> to(op.getTo().begin(), op.getTo().end());
    bool stores = to.front() == TransferOp::ddr;
    if (from != TransferOp::ddr) {
      TileView &view = views[from];
      (stores ? view.stored : view.sent) += bytes;
      view.steps.push_back(
          {stores ? TileStep::Kind::Stores : TileStep::Kind::Sends, op, depth,
           to, bytes, 0});
    }
    if (stores)
      return;
    bool loads = from == TransferOp::ddr;
    for (int64_t tile : to) {
      TileView &view = views[tile];
      (loads ? view.loaded : view.received) += bytes;
      view.steps.push_back(
          {loads ? TileStep::Kind::Loads : TileStep::Kind::Receives,
           op,
           depth,
           {from},
           bytes,
           0});
    }
  }

  Memories memories;
  std::vector<TileView> views;
};

/// The number of tiles that operations of the function name, or more where the
/// function says so.
FailureOr<size_t> countTiles(FunctionOpInterface function) {
  int64_t tiles = 0;
  if (auto said = function->getAttrOfType<IntegerAttr>(tilesAttrName))
    tiles = said.getInt();
  WalkResult walk = function->walk([&](Operation *op) {
    std::optional<int64_t> tile = tileOf(op);
    if (tile)
      tiles = std::max(tiles, *tile + 1);
    auto transfer = dyn_cast<TransferOp>(op);
    if (transfer) {
      tiles = std::max<int64_t>(tiles, transfer.getFrom() + 1);
      for (int64_t to : transfer.getTo())
        tiles = std::max(tiles, to + 1);
    }
    bool onBuffers = llvm::any_of(op->getOperandTypes(), [](Type type) {
      return isa<BaseMemRefType>(type);
    });
    return onBuffers && (tile || transfer) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return function->emitOpError()
           << "expected layouts or a tile program on tensors, got one on "
              "buffers; npu-plan-scratchpad=report says what its tiles hold";
  return static_cast<size_t>(tiles);
}

} // namespace

StringRef nameOf(TileStep::Kind kind) {
  switch (kind) {
  case TileStep::Kind::Computes:
    return "computes";
  case TileStep::Kind::Enters:
    return "enters";
  case TileStep::Kind::Sends:
    return "sends";
  case TileStep::Kind::Receives:
    return "receives";
  case TileStep::Kind::Loads:
    return "loads";
  case TileStep::Kind::Stores:
    return "stores";
  }
  return "";
}

FailureOr<std::vector<TileView>> viewsOfTiles(FunctionOpInterface function) {
  FailureOr<size_t> tiles = countTiles(function);
  if (failed(tiles))
    return failure();
  if (*tiles == 0)
    return std::vector<TileView>();
  return ViewBuilder(function, *tiles).take();
}

} // namespace npu
