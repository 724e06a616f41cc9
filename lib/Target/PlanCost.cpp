// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/PlanCost.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace npu {
namespace {

/// What transfers of each number of elements take, and move, together.
struct Work {
  Count cycles;
  Count bytes;
};

class WorkOf {
public:
  WorkOf(int64_t elementBits, const Target &target)
      : elementBits(elementBits), target(target) {}

  Count bytes(int64_t elements) const {
    return dividedUp(Count{elements} * Count{elementBits}, 8);
  }
  int64_t cycles(int64_t elements, Direction direction) const {
    return transferCycles(target.costs, direction, bytes(elements).value);
  }
  Work operator()(const Volumes &volumes, Direction direction) const {
    Work work;
    for (const EqualTransfers &each : volumes) {
      Count count{each.count};
      work.cycles += count * Count{cycles(each.elements, direction)};
      work.bytes += count * bytes(each.elements);
    }
    return work;
  }

private:
  int64_t elementBits;
  const Target &target;
};

/// Makes `cost` that of the busiest link where that is busier. The links of one
/// direction do what is between tiles, and what is between them and DDR.
void raise(PlanCost &cost, const std::vector<Volumes> &betweenTiles,
           const std::vector<Volumes> &throughDdr, Direction direction,
           const WorkOf &work) {
  for (size_t tile = 0; tile < betweenTiles.size(); ++tile) {
    Count cycles = work(betweenTiles[tile], Direction::TileToTile).cycles +
                   work(throughDdr[tile], direction).cycles;
    if (cycles.value > cost.cycles)
      cost = {cycles.value, static_cast<int64_t>(tile)};
  }
}

} // namespace

int64_t rateOfDdr(const Target &target, Direction direction) {
  if (target.clockHz <= 0 || target.ddrBytesPerSecond <= 0)
    return 0;
  Count rate = Count{target.ddrBytesPerSecond} * Count{1000};
  int64_t onePort = direction == Direction::DdrToTile
                        ? target.costs.ddrToTileRate
                        : target.costs.tileToDdrRate;
  return std::max(rate.value / target.clockHz, onePort);
}

int64_t cyclesOfDdr(Count bytes, Direction direction, const Target &target) {
  int64_t rate = rateOfDdr(target, direction);
  if (rate == 0 || bytes.value == 0)
    return 0;
  int64_t latency = direction == Direction::DdrToTile
                        ? target.costs.ddrToTileLatency
                        : target.costs.tileToDdrLatency;
  return (Count{latency} + dividedUp(bytes * Count{1000}, rate)).value;
}

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

PlanCost planCost(const TransferVolumes &volumes, int64_t elementBits,
                  const Target &target) {
  WorkOf work(elementBits, target);
  PlanCost cost;
  raise(cost, volumes.sent, volumes.stored, Direction::TileToDdr, work);
  raise(cost, volumes.received, volumes.loaded, Direction::DdrToTile, work);
  std::vector<int64_t> throughDdr;
  for (auto [all, direction] :
       {std::pair(&volumes.loads, Direction::DdrToTile),
        std::pair(&volumes.stores, Direction::TileToDdr)}) {
    for (const EqualTransfers &each : *all)
      throughDdr.insert(throughDdr.end(), each.count,
                        work.cycles(each.elements, direction));
    cost.cycles = std::max(cost.cycles, cyclesOfDdr(work(*all, direction).bytes,
                                                    direction, target));
  }
  cost.cycles = std::max(cost.cycles,
                         busiestPort(std::move(throughDdr), target.dmaPorts));
  return cost;
}

PlanCost planCost(const RedistributionPlan &plan, int64_t elementBits,
                  const Target &target) {
  int last = -1;
  for (const Transfer &transfer : plan.transfers)
    last = std::max({last, transfer.from, transfer.to.back()});
  return planCost(volumesOf(plan, static_cast<size_t>(last) + 1), elementBits,
                  target);
}

} // namespace npu
