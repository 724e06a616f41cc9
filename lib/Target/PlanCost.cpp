// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/PlanCost.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace npu {
namespace {

/// The cycles at work of every tile's link in one direction.
class Links {
public:
  void add(int tile, int64_t cycles) {
    size_t number = static_cast<size_t>(tile);
    if (links.size() <= number)
      links.resize(number + 1);
    links[number] += Count{cycles};
  }

  /// Makes `cost` that of the busiest link where that is busier.
  void raise(PlanCost &cost) const {
    for (size_t tile = 0; tile < links.size(); ++tile)
      if (links[tile].value > cost.cycles)
        cost = {links[tile].value, static_cast<int64_t>(tile)};
  }

private:
  std::vector<Count> links;
};

Direction directionOf(const Transfer &transfer) {
  if (transfer.from == kDdr)
    return Direction::DdrToTile;
  return transfer.to.front() == kDdr ? Direction::TileToDdr
                                     : Direction::TileToTile;
}

/// The bytes per 1000 cycles that DDR moves in that direction, all ports
/// together: at least what one port moves alone. 0 where nobody knows.
int64_t rateOfDdr(const Target &target, Direction direction) {
  if (target.clockHz <= 0 || target.ddrBytesPerSecond <= 0)
    return 0;
  Count rate = Count{target.ddrBytesPerSecond} * Count{1000};
  int64_t onePort = direction == Direction::DdrToTile
                        ? target.costs.ddrToTileRate
                        : target.costs.tileToDdrRate;
  return std::max(rate.value / target.clockHz, onePort);
}

/// The cycles that DDR is at work: it moves one byte for all who want it.
int64_t cyclesOfDdr(Count bytes, Direction direction, const Target &target) {
  int64_t rate = rateOfDdr(target, direction);
  if (rate == 0 || bytes.value == 0)
    return 0;
  int64_t latency = direction == Direction::DdrToTile
                        ? target.costs.ddrToTileLatency
                        : target.costs.tileToDdrLatency;
  return (Count{latency} + dividedUp(bytes * Count{1000}, rate)).value;
}

} // namespace

int64_t busiestPort(std::vector<int64_t> cycles, int64_t ports) {
  if (cycles.empty())
    return 0;
  std::ranges::sort(cycles, std::greater<>());
  size_t used =
      std::min(static_cast<size_t>(std::max<int64_t>(ports, 1)), cycles.size());
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> done(
      std::greater<>(), std::vector<int64_t>(used, 0));
  int64_t busiest = 0;
  for (int64_t transfer : cycles) {
    int64_t end = (Count{done.top()} + Count{transfer}).value;
    done.pop();
    done.push(end);
    busiest = std::max(busiest, end);
  }
  return busiest;
}

PlanCost planCost(const RedistributionPlan &plan, int64_t elementBits,
                  const Target &target) {
  Links sending, receiving;
  std::vector<int64_t> throughDdr;
  Count loaded, stored;
  for (const Transfer &transfer : plan.transfers) {
    Count bits = Count{transfer.box.volume()} * Count{elementBits};
    Direction direction = directionOf(transfer);
    int64_t cycles =
        transferCycles(target.costs, direction, dividedUp(bits, 8).value);
    if (transfer.from != kDdr)
      sending.add(transfer.from, cycles);
    for (int tile : transfer.to)
      if (tile != kDdr)
        receiving.add(tile, cycles);
    if (direction != Direction::TileToTile)
      throughDdr.push_back(cycles);
    if (direction == Direction::DdrToTile)
      loaded += dividedUp(bits, 8);
    else if (direction == Direction::TileToDdr)
      stored += dividedUp(bits, 8);
  }
  PlanCost cost;
  sending.raise(cost);
  receiving.raise(cost);
  cost.cycles = std::max(cost.cycles,
                         busiestPort(std::move(throughDdr), target.dmaPorts));
  cost.cycles =
      std::max({cost.cycles, cyclesOfDdr(loaded, Direction::DdrToTile, target),
                cyclesOfDdr(stored, Direction::TileToDdr, target)});
  return cost;
}

} // namespace npu
