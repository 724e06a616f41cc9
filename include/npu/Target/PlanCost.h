// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the transfers of one plan take on a device.

#ifndef NPU_TARGET_PLANCOST_H
#define NPU_TARGET_PLANCOST_H

#include "npu/Placement/Plans/FewTiles.h"
#include "npu/Placement/Plans/TransferVolumes.h"
#include "npu/Target/Costs.h"
#include "npu/Target/Count.h"
#include "npu/Target/Target.h"

namespace npu {

/// Cycles until the last transfer is done, and the tile whose links are the
/// longest at work; the first of several.
struct PlanCost {
  int64_t cycles = 0;
  int64_t tile = 0;
};

/// All transfers of a plan begin at once, and each takes its latency and its
/// bytes over the bandwidth. What shares something is done one after the other:
///
/// * what leaves one tile; a multicast leaves it once,
/// * what arrives at one tile,
/// * what one port moves between DDR and tiles. The ports share these
///   transfers: each, the longest first, goes to the port that is done first,
/// * what DDR moves, all ports together: its latency, and all bytes over its
///   bandwidth (`ddrBytesPerSecond` at `clockHz`, and no less than what one
///   port moves alone). A multicast is read once.
///
/// The plan takes as long as the busiest link or port. Links are for one
/// direction each: a tile sends and receives at the same time. Cycles stay at
/// INT64_MAX where there would be more. Example: of two moves of 1000 cycles
/// each between tiles, both take 1000 together where they share no tile, and
/// 2000 where one tile sends or receives both. Two loads share DDR.
///
/// Where the target has several machines, a transfer that crosses from one to
/// another takes as long as crossingTransferCycles() says, at all that it
/// shares. Each machine has one link to all others, for each direction: it does
/// one crossing after the other, and one transfer crosses once to each machine.
/// Such a target needs the plan, which says who sends to whom: volumes are as
/// if all tiles were of one machine.
PlanCost planCost(const TransferVolumes &volumes, int64_t elementBits,
                  const Target &target);
PlanCost planCost(const RedistributionPlan &plan, int64_t elementBits,
                  const Target &target);
/// Precondition: all tiles are of one machine.
PlanCost planCost(std::span<const SizedTransfer> transfers, int64_t elementBits,
                  const Target &target);

/// Parts of one size that move between DDR and tiles at once. So many of them
/// cross to other machines, so often together: once for each machine.
struct DdrParts {
  int64_t count = 1;
  int64_t crossing = 0;
  int64_t crossings = 0;
};

/// What planCost says of a plan that moves so many bytes as such parts, without
/// the plan and in fractions of a cycle: for those who ask of thousands. Of
/// parts that cross as often as each other it is the same.
double cyclesOfParts(double bytes, const DdrParts &parts, Direction direction,
                     const Target &target);

/// So many bytes on the link of a machine: latency + bytes / bandwidth. 0 for
/// no bytes, and where all tiles are of one machine.
int64_t linkCycles(const Target &target, int64_t bytes);

/// One transfer that crosses to so many machines: what it takes within one
/// machine, or what the sending machine's link takes for all crossings, one
/// after the other, whichever is longer.
int64_t crossingTransferCycles(const Target &target, Direction direction,
                               int64_t bytes, int64_t crossings);

/// The bytes per 1000 cycles that DDR moves in that direction, all ports
/// together: at least what one port moves alone. 0 where nobody knows.
int64_t rateOfDdr(const Target &target, Direction direction);

/// The cycles that DDR is at work: it moves one byte for all who want it. 0
/// where nobody knows its rate.
int64_t cyclesOfDdr(Count bytes, Direction direction, const Target &target);

/// The cycles of the busiest port where each of the transfers, the longest
/// first, goes to the port that is done first. At most 4/3 of the least that
/// any dealing takes.
int64_t busiestPort(std::vector<int64_t> cycles, int64_t ports);

} // namespace npu

#endif // NPU_TARGET_PLANCOST_H
