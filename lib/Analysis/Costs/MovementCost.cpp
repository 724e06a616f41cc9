// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Costs/MovementSide.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include <bit>

using namespace mlir;

namespace npu {
namespace {

int64_t bitsOf(RankedTensorType type) {
  return elementBits(type.getElementType()).value_or(64);
}

/// The tile that takes longest to put what it holds into another order.
PlanCost relayoutCost(RankedTensorType from, RankedTensorType to,
                      const CostFigures &figures) {
  PlanCost busiest;
  for (unsigned tile = 0, count = tilesOf(from, to); tile < count; ++tile) {
    int64_t elements = elementsRelaid(from, to, tile);
    if (elements == 0)
      continue;
    int64_t cycles = copyCycles(figures, elements, bitsOf(to));
    if (cycles > busiest.cycles)
      busiest = {cycles, static_cast<int64_t>(tile)};
  }
  return busiest;
}

/// What the transfers of a movement take, and the elements that they move.
struct Moved {
  PlanCost cost;
  int64_t elements = 0;
};

Result<Moved> movedBetween(RankedTensorType from, RankedTensorType to,
                           std::span<const PaddedRange> padding,
                           const Target &target) {
  if (Machines machines = target.machines(); machines.areSeveral()) {
    Result<RedistributionPlan> plan = planBetween(from, to, padding, machines);
    if (!plan)
      return plan.error();
    if (Result<> few = checkFewTransfers(*plan); !few)
      return few.error();
    return Moved{planCost(*plan, bitsOf(to), target),
                 plan->received.value + plan->ddr};
  }
  Result<TransferVolumes> volumes = volumesBetween(from, to, padding);
  if (!volumes)
    return volumes.error();
  return Moved{planCost(*volumes, bitsOf(to), target),
               volumes->elementsMoved()};
}

/// The transfers, and then the copies on tiles.
ModelledCost costOf(const Moved &moved, PlanCost relaying, int64_t bits,
                    int64_t ddrElements) {
  PlanCost moving = moved.cost;
  return {(Count{moving.cycles} + Count{relaying.cycles}).value,
          moving.cycles >= relaying.cycles ? moving.tile : relaying.tile,
          toBytes(moved.elements, bits), toBytes(ddrElements, bits),
          relaying.cycles};
}

/// Another order of a tensor that stays in DDR: a copy of it.
ModelledCost relayoutInDdr(RankedTensorType type, const Target &target) {
  if (!type.hasStaticShape())
    return {};
  int64_t bytes = toBytes(type.getNumElements(), bitsOf(type));
  return {transferCycles(target.costs, Direction::DdrToDdr, bytes), 0, bytes,
          (Count{bytes} * Count{2}).value};
}

} // namespace

SmallVector<int64_t> relayingCycles(RankedTensorType from, RankedTensorType to,
                                    const Target &target) {
  SmallVector<int64_t> cycles;
  for (unsigned tile = 0, count = tilesOf(from, to); tile < count; ++tile) {
    int64_t elements = elementsRelaid(from, to, tile);
    cycles.push_back(
        elements == 0 ? 0 : copyCycles(target.costs, elements, bitsOf(to)));
  }
  return cycles;
}

MovementSide::MovementSide(RankedTensorType type) : type(type) {
  const Placement *placement = getPlacement(type);
  if (!placement || getStorage(type) != Storage::Linear ||
      isPacked(type.getElementType()))
    return;
  intervals = TileIntervals::of(*placement);
  order = getOrder(type);
}

ModelledCost movementCost(const MovementSide &from, const MovementSide &to,
                          const Target &target) {
  std::optional<SizedTransfers> transfers;
  if (from.intervals && to.intervals && !target.machines().areSeveral())
    transfers = findTransfers(*from.intervals, *to.intervals);
  if (!transfers)
    return movementCost(from.type, to.type, {}, target);
  bool keepsOrder = from.order == to.order;
  if (transfers->empty() && keepsOrder)
    return {};
  int64_t bits = bitsOf(to.type), elements = 0;
  for (const SizedTransfer &transfer : *transfers)
    elements += transfer.elements * std::popcount(transfer.to);
  PlanCost relaying;
  if (!keepsOrder)
    relaying = relayoutCost(from.type, to.type, target.costs);
  return costOf({planCost(transfers->span(), bits, target), elements}, relaying,
                bits, /*ddrElements=*/0);
}

ModelledCost movementCost(RankedTensorType from, RankedTensorType to,
                          std::span<const PaddedRange> padding,
                          const Target &target) {
  if (relate(from, to) != Relation::DataMoves)
    return {};
  // One of two different kinds is converted where it is an image, and what is
  // linear moves.
  if (getStorage(from) != getStorage(to)) {
    RankedTensorType image = getStorage(from) == Storage::Linear ? to : from;
    PlanCost converting =
        relayoutCost(image, withStorage(image, Storage::Linear), target.costs);
    ModelledCost moving =
        movementCost(withStorage(from, Storage::Linear),
                     withStorage(to, Storage::Linear), padding, target);
    return {(Count{converting.cycles} + Count{moving.cycles}).value,
            converting.cycles >= moving.cycles ? converting.tile : moving.tile,
            moving.bytes, moving.ddrBytes,
            (Count{converting.cycles} + Count{moving.relaying}).value};
  }
  if (!isDistributed(from) && !isDistributed(to))
    return sameMemoryOrder(to.getShape(), getOrder(from), getOrder(to))
               ? ModelledCost()
               : relayoutInDdr(to, target);
  Result<Moved> moved = movedBetween(from, to, padding, target);
  if (!moved)
    return {Count::most, 0, 0};
  bool isBetweenTiles = isDistributed(from) && isDistributed(to);
  return costOf(*moved, relayoutCost(from, to, target.costs), bitsOf(to),
                isBetweenTiles ? 0 : to.getNumElements());
}

} // namespace npu
