// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/PlanCost.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
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

/// A plan's transfers one by one, on a target of several machines.
class PlanOnMachines {
public:
  PlanOnMachines(size_t tiles, int64_t elementBits, const Target &target)
      : machines(target.machines()), target(target), work(elementBits, target),
        sent(tiles), received(tiles) {
    size_t count = tiles == 0 ? 1 : machines.of(tiles - 1) + 1;
    linkOut.resize(count);
    linkIn.resize(count);
  }

  void add(const Transfer &transfer) {
    Count bytes = work.bytes(transfer.box.volume());
    bool isLoad = transfer.from == kDdr, isStore = transfer.to.front() == kDdr;
    Count crossing{linkCycles(target, bytes.value)};
    int64_t crossings = 0;
    forEachCrossing(machines, transfer.from, transfer.to, [&](int64_t machine) {
      ++crossings;
      linkOut[machines.of(transfer.from)] += crossing;
      linkIn[machine] += crossing;
    });
    Direction direction = isLoad    ? Direction::DdrToTile
                          : isStore ? Direction::TileToDdr
                                    : Direction::TileToTile;
    Count cycles{
        crossingTransferCycles(target, direction, bytes.value, crossings)};
    if (!isLoad)
      sent[transfer.from] += cycles;
    for (int tile : transfer.to)
      if (tile != kDdr)
        received[tile] += cycles;
    if (isLoad || isStore)
      throughDdr.push_back(cycles.value);
    if (isLoad)
      loaded += bytes;
    else if (isStore)
      stored += bytes;
  }

  PlanCost cost() {
    PlanCost cost;
    for (const std::vector<Count> *side : {&sent, &received})
      for (size_t tile = 0; tile < side->size(); ++tile)
        if ((*side)[tile].value > cost.cycles)
          cost = {(*side)[tile].value, static_cast<int64_t>(tile)};
    for (const std::vector<Count> *side : {&linkOut, &linkIn})
      for (Count link : *side)
        cost.cycles = std::max(cost.cycles, link.value);
    cost.cycles = std::max(
        {cost.cycles, cyclesOfDdr(loaded, Direction::DdrToTile, target),
         cyclesOfDdr(stored, Direction::TileToDdr, target),
         busiestPort(std::move(throughDdr), target.dmaPorts)});
    return cost;
  }

private:
  Machines machines;
  const Target &target;
  WorkOf work;
  /// By tile, and by machine.
  std::vector<Count> sent, received, linkOut, linkIn;
  std::vector<int64_t> throughDdr;
  Count loaded, stored;
};

} // namespace

int64_t linkCycles(const Target &target, int64_t bytes) {
  if (bytes <= 0 || target.machineLinkRate <= 0)
    return 0;
  return (Count{target.machineLinkLatency} +
          dividedUp(Count{bytes} * Count{1000}, target.machineLinkRate))
      .value;
}

int64_t crossingTransferCycles(const Target &target, Direction direction,
                               int64_t bytes, int64_t crossings) {
  return std::max(transferCycles(target.costs, direction, bytes),
                  (Count{crossings} * Count{linkCycles(target, bytes)}).value);
}

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

/// The same where transfers take two times only: `longer` each of
/// `longerCount`, and `shorter` each of the others.
static double busiestPort(int64_t longerCount, double longer,
                          int64_t shorterCount, double shorter, int64_t ports) {
  // Some ports do one of the longer ones more than the others, which make up
  // for it with shorter ones.
  int64_t ahead = longerCount % ports, others = ports - ahead;
  double least = static_cast<double>(longerCount / ports) * longer;
  double most = ahead > 0 ? least + longer : least;
  auto turns = [](int64_t count, int64_t ports) {
    return static_cast<double>(count / ports + (count % ports != 0));
  };
  double madeUp = 0;
  if (most > least && shorter > 0)
    madeUp = std::min(std::ceil((most - least) / shorter),
                      static_cast<double>(shorterCount));
  int64_t beside = others * static_cast<int64_t>(madeUp);
  if (shorterCount <= beside)
    return std::max(most, least + turns(shorterCount, others) * shorter);
  // From now on all ports take turns, those that were ahead first.
  int64_t left = shorterCount - beside, last = left % ports;
  double whole = static_cast<double>(left / ports) * shorter;
  double caughtUp = least + madeUp * shorter;
  return std::max(most, whole + (last == 0       ? caughtUp
                                 : last <= ahead ? most + shorter
                                                 : caughtUp + shorter));
}

double cyclesOfParts(double bytes, const DdrParts &parts, Direction direction,
                     const Target &target) {
  const CostFigures &costs = target.costs;
  bool isLoad = direction == Direction::DdrToTile;
  auto latency = static_cast<double>(isLoad ? costs.ddrToTileLatency
                                            : costs.tileToDdrLatency);
  auto cyclesAt = [](double latency, double bytes, int64_t rate) {
    return latency +
           1000 * bytes / static_cast<double>(std::max<int64_t>(rate, 1));
  };
  double part = bytes / static_cast<double>(parts.count);
  double within = cyclesAt(latency, part,
                           isLoad ? costs.ddrToTileRate : costs.tileToDdrRate);
  double onLink = 0, across = 0;
  if (parts.crossing > 0) {
    onLink = static_cast<double>(parts.crossings) *
             cyclesAt(static_cast<double>(target.machineLinkLatency), part,
                      target.machineLinkRate);
    across = std::max(within, onLink / static_cast<double>(parts.crossing));
  }
  double busiest = std::max(
      onLink, busiestPort(parts.crossing, across, parts.count - parts.crossing,
                          within, std::max<int64_t>(target.dmaPorts, 1)));
  if (int64_t shared = rateOfDdr(target, direction))
    busiest = std::max(busiest, cyclesAt(latency, bytes, shared));
  return busiest;
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

PlanCost planCost(std::span<const SizedTransfer> transfers, int64_t elementBits,
                  const Target &target) {
  WorkOf work(elementBits, target);
  std::array<Count, std::numeric_limits<TileMask>::digits> sent{}, received{};
  for (const SizedTransfer &transfer : transfers) {
    Count cycles{work.cycles(transfer.elements, Direction::TileToTile)};
    sent[transfer.from] += cycles;
    for (TileMask rest = transfer.to; rest != 0; rest &= rest - 1)
      received[std::countr_zero(rest)] += cycles;
  }
  PlanCost cost;
  for (const auto *links : {&sent, &received})
    for (size_t tile = 0; tile < links->size(); ++tile)
      if ((*links)[tile].value > cost.cycles)
        cost = {(*links)[tile].value, static_cast<int64_t>(tile)};
  return cost;
}

PlanCost planCost(const RedistributionPlan &plan, int64_t elementBits,
                  const Target &target) {
  int last = -1;
  for (const Transfer &transfer : plan.transfers)
    last = std::max({last, transfer.from, transfer.to.back()});
  if (target.machines().areSeveral()) {
    PlanOnMachines onMachines(static_cast<size_t>(last) + 1, elementBits,
                              target);
    for (const Transfer &transfer : plan.transfers)
      onMachines.add(transfer);
    return onMachines.cost();
  }
  return planCost(volumesOf(plan, static_cast<size_t>(last) + 1), elementBits,
                  target);
}

} // namespace npu
