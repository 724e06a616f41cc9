// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the transfers of a plan cost: which of them wait for each other.

#include "npu/Target/PlanCost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace npu;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// A byte per cycle everywhere; 100 cycles before a load, 10 before a store,
/// and 1 between tiles.
Target simpleTarget(int64_t ports) {
  Target target;
  target.dmaPorts = ports;
  CostFigures &costs = target.costs;
  costs.ddrToTileLatency = 100;
  costs.tileToDdrLatency = 10;
  costs.tileToTileLatency = 1;
  costs.ddrToTileRate = costs.tileToDdrRate = costs.tileToTileRate = 1000;
  return target;
}

Transfer transfer(int from, std::vector<int> to, int64_t bytes) {
  return {from, std::move(to), Box{{0, bytes}}};
}

PlanCost costOf(std::vector<Transfer> transfers, int64_t ports = 2,
                int64_t bits = 8) {
  RedistributionPlan plan;
  plan.transfers = std::move(transfers);
  return planCost(plan, bits, simpleTarget(ports));
}

/// Two tiles on each machine, and half a byte per cycle between machines, 50
/// cycles after the begin.
PlanCost costOnMachines(std::vector<Transfer> transfers) {
  RedistributionPlan plan;
  plan.transfers = std::move(transfers);
  Target target = simpleTarget(/*ports=*/2);
  target.machineTiles = 2;
  target.machineLinkLatency = 50;
  target.machineLinkRate = 500;
  return planCost(plan, 8, target);
}

void expectCost(const PlanCost &cost, int64_t cycles, int64_t tile) {
  EXPECT_EQ(cost.cycles, cycles);
  EXPECT_EQ(cost.tile, tile);
}

/// The least time of the busiest port, by trying every dealing.
int64_t leastBusiest(const std::vector<int64_t> &cycles,
                     std::vector<int64_t> &ports, size_t next = 0) {
  if (next == cycles.size())
    return std::ranges::max(ports);
  int64_t least = kMost;
  for (int64_t &port : ports) {
    port += cycles[next];
    least = std::min(least, leastBusiest(cycles, ports, next + 1));
    port -= cycles[next];
  }
  return least;
}

} // namespace

TEST(PlanCost, Nothing) { expectCost(costOf({}), 0, 0); }

// One transfer leaves tile 0 for all others: its link is at work once.
TEST(PlanCost, MulticastOncePerSendingLink) {
  expectCost(costOf({transfer(0, {1, 2, 3}, 50)}), 51, 0);
  expectCost(costOf({transfer(0, {1}, 50), transfer(0, {2}, 50)}), 102, 0);
}

// Two tiles send to one, which receives one after the other.
TEST(PlanCost, ReceiverSerialises) {
  expectCost(costOf({transfer(0, {2}, 50), transfer(1, {2}, 30)}), 51 + 31, 2);
}

// Boxes do not matter between tiles.
TEST(PlanCost, TransfersWithoutBoxes) {
  std::vector<SizedTransfer> sized{
      {0, 0b1110, 50}, {2, 0b0001, 30}, {1, 0b0101, 70}};
  expectCost(planCost(sized, 8, simpleTarget(/*ports=*/1)), 51 + 71, 2);
  PlanCost listed = costOf({transfer(0, {1, 2, 3}, 50), transfer(2, {0}, 30),
                            transfer(1, {0, 2}, 70)});
  expectCost(listed, 51 + 71, 2);
  expectCost(planCost(std::span<const SizedTransfer>(), 8, simpleTarget(1)), 0,
             0);
}

// A link has two directions.
TEST(PlanCost, ExchangeAtTheSameTime) {
  expectCost(costOf({transfer(0, {1}, 50), transfer(1, {0}, 50)}), 51, 0);
}

TEST(PlanCost, LoadsOverPorts) {
  std::vector<Transfer> loads;
  for (int tile = 0; tile < 4; ++tile)
    loads.push_back(transfer(kDdr, {tile}, 20));
  expectCost(costOf(loads, 1), 4 * 120, 0);
  expectCost(costOf(loads, 2), 2 * 120, 0);
  expectCost(costOf(loads, 3), 2 * 120, 0);
  expectCost(costOf(loads, 4), 120, 0);
  expectCost(costOf(loads, 4096), 120, 0);
  // A multicast load takes its port once.
  expectCost(costOf({transfer(kDdr, {0, 1, 2, 3}, 20)}, 1), 120, 0);
  // Both go to one tile, whatever the ports.
  expectCost(costOf({transfer(kDdr, {1}, 20), transfer(kDdr, {1}, 20)}, 2), 240,
             1);
}

// The estimate for parts of one size is the cost of the plan, to a cycle for
// each part: on one machine and on several, whatever the ports.
TEST(PlanCost, PartsCostWhatTheirPlanDoes) {
  int crossing = 0;
  for (int64_t machineTiles : {0, 1, 2, 3})
    for (int64_t ports : {1, 2, 3})
      for (int count = 1; count <= 8; ++count)
        for (int64_t bytes : {40, 1000})
          for (bool isLoad : {true, false}) {
            Target target = simpleTarget(ports);
            target.machineTiles = machineTiles;
            target.machineLinkLatency = machineTiles > 0 ? 50 : 0;
            target.machineLinkRate = machineTiles > 0 ? 500 : 0;
            RedistributionPlan plan;
            DdrParts parts{count};
            for (int tile = 0; tile < count; ++tile) {
              plan.transfers.list().push_back(
                  isLoad ? transfer(kDdr, {tile}, bytes)
                         : transfer(tile, {kDdr}, bytes));
              parts.crossing += target.machines().of(tile) != 0;
            }
            parts.crossings = parts.crossing;
            crossing += parts.crossing > 0;
            EXPECT_NEAR(cyclesOfParts(static_cast<double>(count * bytes), parts,
                                      isLoad ? Direction::DdrToTile
                                             : Direction::TileToDdr,
                                      target),
                        static_cast<double>(planCost(plan, 8, target).cycles),
                        count)
                << count << " parts of " << bytes << ", " << ports
                << " ports, machines of " << machineTiles;
          }
  EXPECT_GT(crossing, 100);
  // What goes to tiles of three machines by one transfer crosses twice.
  Target target = simpleTarget(/*ports=*/2);
  target.machineTiles = 1;
  target.machineLinkLatency = 50;
  target.machineLinkRate = 500;
  RedistributionPlan plan;
  plan.transfers = {transfer(kDdr, {0, 1, 2}, 100)};
  EXPECT_EQ(planCost(plan, 8, target).cycles, 2 * (50 + 200));
  EXPECT_EQ(cyclesOfParts(100, {1, 1, 2}, Direction::DdrToTile, target),
            2 * (50 + 200));
}

// All ports together move no more than DDR gives: half a byte per cycle here,
// and one where a port alone moves that.
TEST(PlanCost, PortsShareDdr) {
  RedistributionPlan plan;
  plan.transfers = {transfer(kDdr, {0}, 1000), transfer(kDdr, {1, 2}, 1000)};
  Target target = simpleTarget(2);
  target.ddrBytesPerSecond = 3000;
  target.clockHz = 2000;
  expectCost(planCost(plan, 8, target), 100 + 1334, 0);
  target.ddrBytesPerSecond = 1000;
  expectCost(planCost(plan, 8, target), 100 + 2000, 0);
  target.ddrBytesPerSecond = 1000000;
  expectCost(planCost(plan, 8, target), 1100, 0);
}

// Both ports of npu4000 fit in DDR: two loads take as long as one. On npu3720,
// one port takes all of DDR.
TEST(PlanCost, SecondPortOfDevices) {
  RedistributionPlan one, two;
  one.transfers = {transfer(kDdr, {0}, 1 << 20)};
  two.transfers = {transfer(kDdr, {0}, 1 << 20), transfer(kDdr, {1}, 1 << 20)};
  Target target = *findBuiltinTarget("npu4000");
  EXPECT_EQ(planCost(two, 8, target).cycles, planCost(one, 8, target).cycles);
  target.dmaPorts = 1;
  EXPECT_EQ(planCost(two, 8, target).cycles,
            2 * planCost(one, 8, target).cycles);
  target = *findBuiltinTarget("npu3720");
  EXPECT_GT(planCost(two, 8, target).cycles,
            19 * planCost(one, 8, target).cycles / 10);
}

TEST(PlanCost, Stores) {
  expectCost(costOf({transfer(0, {kDdr}, 20), transfer(1, {kDdr}, 40)}, 2), 50,
             1);
  expectCost(costOf({transfer(0, {kDdr}, 20), transfer(1, {kDdr}, 40)}, 1), 80,
             1);
}

// Elements of four bits: each transfer has whole bytes.
TEST(PlanCost, BytesAreWhole) {
  expectCost(costOf({transfer(0, {1}, 3)}, 2, 4), 1 + 2, 0);
}

TEST(PlanCost, StaysAtTheLargest) {
  expectCost(costOf({transfer(0, {1}, kMost)}, 1, 64), kMost, 0);
  EXPECT_EQ(costOf({transfer(kDdr, {0}, kMost), transfer(kDdr, {1}, kMost)}, 1)
                .cycles,
            kMost);
}

TEST(PlanCost, LongestFirst) {
  EXPECT_EQ(busiestPort({}, 2), 0);
  EXPECT_EQ(busiestPort({5}, 0), 5);
  // In the given order the ports would be done after 2 and 4.
  EXPECT_EQ(busiestPort({1, 1, 3}, 2), 3);
  // Not the least, which is 6.
  EXPECT_EQ(busiestPort({3, 3, 2, 2, 2}, 2), 7);
}

// At most 4/3 of the least, and the same whatever the order of transfers.
TEST(PlanCost, CloseToTheLeast) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> cycles(1 + random() % 7);
    for (int64_t &each : cycles)
      each = 1 + random() % 20;
    std::vector<int64_t> ports(1 + random() % 3);
    int64_t busiest = busiestPort(cycles, ports.size());
    int64_t least = leastBusiest(cycles, ports);
    EXPECT_GE(busiest, least);
    EXPECT_LE(3 * busiest, 4 * least);
    std::ranges::shuffle(cycles, random);
    EXPECT_EQ(busiestPort(cycles, ports.size()), busiest);
  }
}

// Within a machine nothing changes.
TEST(PlanCost, WithinMachines) {
  std::vector<Transfer> within{transfer(0, {1}, 1000), transfer(3, {2}, 400),
                               transfer(kDdr, {0, 1}, 500),
                               transfer(1, {kDdr}, 700)};
  expectCost(costOnMachines(within), costOf(within).cycles,
             costOf(within).tile);
}

// Two crossings in one direction wait for each other, whoever sends and
// receives; those of both directions do not.
TEST(PlanCost, CrossingsShareTheLink) {
  expectCost(costOnMachines({transfer(0, {2}, 1000)}), 2050, 0);
  EXPECT_EQ(
      costOnMachines({transfer(0, {2}, 1000), transfer(1, {3}, 1000)}).cycles,
      2 * 2050);
  EXPECT_EQ(
      costOnMachines({transfer(0, {2}, 1000), transfer(2, {0}, 1000)}).cycles,
      2050);
  EXPECT_EQ(
      costOnMachines({transfer(0, {2}, 1000), transfer(5, {3}, 1000)}).cycles,
      2 * 2050);
  EXPECT_EQ(
      costOnMachines({transfer(0, {2}, 1000), transfer(5, {6}, 1000)}).cycles,
      2050);
}

// To several tiles of a machine it crosses once, to several machines once each.
TEST(PlanCost, MulticastsBetweenMachines) {
  expectCost(costOnMachines({transfer(0, {1, 2, 3}, 1000)}), 2050, 0);
  expectCost(costOnMachines({transfer(0, {2, 3, 4, 5}, 1000)}), 2 * 2050, 0);
}

// DDR is the first machine's.
TEST(PlanCost, DdrOfTheFirstMachine) {
  expectCost(costOnMachines({transfer(kDdr, {1}, 1000)}), 1100, 1);
  expectCost(costOnMachines({transfer(kDdr, {2}, 1000)}), 2050, 2);
  expectCost(costOnMachines({transfer(2, {kDdr}, 1000)}), 2050, 2);
}

// A link that is faster than tiles does not make tiles faster.
TEST(PlanCost, LinkNoFasterThanTiles) {
  Target target = simpleTarget(/*ports=*/2);
  target.machineTiles = 1;
  target.machineLinkLatency = 1;
  target.machineLinkRate = 1'000'000;
  EXPECT_EQ(linkCycles(target, 1000), 2);
  EXPECT_EQ(crossingTransferCycles(target, Direction::TileToTile, 1000, 1),
            1001);
  EXPECT_EQ(linkCycles(target, 0), 0);
  EXPECT_EQ(linkCycles(target, kMost), kMost);
  EXPECT_EQ(linkCycles(simpleTarget(2), 1000), 0);
}
