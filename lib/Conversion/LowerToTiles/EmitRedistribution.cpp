// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitRedistribution.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Interfaces/OpAccess.h"

using namespace mlir;

namespace npu {
namespace {

/// The part that each tile has before transfers arrive: its old value where
/// nothing is missing, else a new tensor into which the part that the tile
/// holds already is copied.
SmallVector<Value> startTargets(OpBuilder &builder, Location loc,
                                const Parts &source, RankedTensorType target,
                                std::span<const PaddedRange> padding) {
  SmallVector<Value> values;
  Permutation order = getOrder(target);
  const Placement &wanted = *getPlacement(target);
  Box nothing = nothingOf(wanted.shape);
  bool fromTiles = getPlacement(source.type) != nullptr;
  for (unsigned tile = 0; tile < wanted.tiles.size(); ++tile) {
    TileBuilder tiles(builder, loc, tile);
    const Box &box = wanted.tiles[tile].memory;
    Box held = nothing;
    if (fromTiles && tile < source.size())
      held = source.held(tile);
    Box kept = held.isEmpty() || box.isEmpty() ? nothing : intersect(held, box);
    if (!kept.isEmpty() && kept == box) {
      Value part = tiles.slice(source.values[tile], held, box, source.order());
      values.push_back(tiles.reorder(part, source.order(), order));
      continue;
    }
    Value value = tiles.empty(localType(target, tile), order);
    markPadding(value, box, order, padding);
    if (!kept.isEmpty()) {
      Value part = tiles.slice(source.values[tile], held, kept, source.order());
      part = tiles.reorder(part, source.order(), order);
      value = tiles.insert(part, kept, value, box, order);
    }
    values.push_back(value);
  }
  return values;
}

} // namespace

Parts emitRedistribution(OpBuilder &builder, Location loc, const Parts &source,
                         RankedTensorType target,
                         const RedistributionPlan &plan,
                         std::span<const PaddedRange> padding) {
  Parts result{target, {}};
  bool fromTiles = getPlacement(source.type) != nullptr;
  bool toTiles = getPlacement(target) != nullptr;
  if (!fromTiles && !toTiles) {
    TileBuilder ddr(builder, loc, std::nullopt);
    result.values = {
        ddr.reorder(source.values[0], source.order(), getOrder(target))};
    return result;
  }
  if (toTiles)
    result.values = startTargets(builder, loc, source, target, padding);
  Box whole = Box::whole(toExtents(target.getShape()));
  if (!toTiles) {
    result.values = {TileBuilder(builder, loc, std::nullopt)
                         .empty(ddrType(target), getOrder(target))};
    markPadding(result.values[0], whole, getOrder(target), padding);
  }
  int64_t bits = elementBits(target.getElementType()).value_or(64);
  auto orderAttr = [&](const Permutation &order) {
    return isIdentity(order)
               ? DenseI64ArrayAttr()
               : builder.getDenseI64ArrayAttr({order.begin(), order.size()});
  };
  for (const Transfer &transfer : plan.transfers) {
    Value sender = source.values[fromTiles ? transfer.from : 0];
    Box held = fromTiles ? source.held(transfer.from) : whole;
    SmallVector<Value> dests;
    SmallVector<int64_t> destOffsets, receivers;
    for (int to : transfer.to) {
      unsigned index = toTiles ? to : 0;
      dests.push_back(result.values[index]);
      receivers.push_back(to);
      Box holds = toTiles ? result.held(index) : whole;
      llvm::append_range(destOffsets,
                         localOffset(transfer.box, holds, getOrder(target)));
    }
    Extents offsets = transfer.box.offsets(), sizes = transfer.box.sizes();
    auto op = TransferOp::create(
        builder, loc, ValueRange(dests).getTypes(), sender, dests,
        localOffset(transfer.box, held, source.order()), transfer.from,
        receivers, destOffsets,
        ArrayRef<int64_t>(offsets.begin(), offsets.size()),
        ArrayRef<int64_t>(sizes.begin(), sizes.size()),
        toBytes(transfer.box.volume(), bits), orderAttr(source.order()),
        orderAttr(getOrder(target)));
    for (auto [to, value] : llvm::zip(transfer.to, op.getResults()))
      result.values[toTiles ? to : 0] = value;
  }
  return result;
}

} // namespace npu
