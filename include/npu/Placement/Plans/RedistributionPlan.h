// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redistribution plans: the transfers that turn one placement into another,
// with lower bounds for their bytes (docs/concepts.md, "Redistribution, and how
// good it can be").

#ifndef NPU_PLACEMENT_PLANS_REDISTRIBUTIONPLAN_H
#define NPU_PLACEMENT_PLANS_REDISTRIBUTIONPLAN_H

#include "npu/Placement/Distributions/Padding.h"
#include "npu/Placement/Plans/Transfers.h"

namespace npu {

/// Machines of so many tiles each, counted from tile 0; the last one may have
/// fewer. 0: all tiles are of one machine. The DDR is the first one's. Example:
/// with 4 tiles each, tiles 4 to 7 are of machine 1.
struct Machines {
  int64_t tilesEach = 0;

  bool areSeveral() const { return tilesEach > 0; }
  int64_t of(int64_t tile) const {
    return tilesEach == 0 || tile == kDdr ? 0 : tile / tilesEach;
  }

  friend bool operator==(const Machines &, const Machines &) = default;
};

/// A figure of a plan and the least it can be, in elements.
struct Bounded {
  int64_t value = 0;
  int64_t bound = 0;

  friend bool operator==(const Bounded &, const Bounded &) = default;
};

/// The transfers of a plan, sorted by (from, box, to), and its figures in
/// elements. With S before, D after: received >= sum |D_t \ S_t| (unicast
/// total), maxTileReceived >= max |D_t \ S_t|, injected >= |union (D_t \ S_t)|
/// (a multicast counts once), maxTileSent >= the least possible busiest sender
/// (a max-flow: every missing element leaves one of the tiles that hold it).
/// The first three always equal their bound; maxTileSent exceeds it by less
/// than one slice (boxes are cut along one dimension to balance senders; a
/// slice has as many entries as there are between allowed cuts).
///
/// Between several machines a transfer goes to tiles of one machine, from a
/// tile of that machine wherever one holds the box. So betweenMachines >= sum
/// over machines |union D_t \ union S_t|, the unions over the machine's tiles,
/// and always equals it; injected counts a multicast once for each machine that
/// receives, bounded by the sum over machines |union (D_t \ S_t)|; and the
/// busiest sender is compared with the plans that send as little between
/// machines.
struct RedistributionPlan {
  Transfers transfers;
  Bounded received;
  Bounded maxTileReceived;
  Bounded injected;
  Bounded maxTileSent;
  /// Elements loaded from DDR (a multicast load once) and stored to it; no
  /// other figure counts them.
  int64_t ddr = 0;
  /// What goes from one machine to another: once for each machine that a
  /// transfer crosses to, loads and stores included.
  Bounded betweenMachines;
};

/// Plans moves between tiles only: every element is on some tile of `source`.
/// Padding does not move: S and D above are then their real entries, and boxes
/// are cut where padding stands between real entries. To share out what several
/// tiles hold, boxes are cut at `multiples` along each dimension
/// (`cutsBetweenBytes`), or anywhere where there are none, so that no byte that
/// several elements share has two senders. Between grids of which every box
/// that is sent is on one tile alone, the transfers follow one from the other,
/// and any number of them is planned. Errors: shapes differ; more than
/// `kMaxListed` pieces between others (placements too irregular). Example: rows
/// 0:256 and 256:512 of 512 over two tiles, of which 336:512 are padding,
/// duplicated: 256 rows go to tile 1, and 80 rows to tile 0.
Result<RedistributionPlan>
planRedistribution(const Placement &source, const Placement &target,
                   std::span<const PaddedRange> padding = {},
                   const Extents &multiples = {}, Machines machines = {});
/// Plans a load from DDR: each element of `target` leaves DDR once, also where
/// it crosses to several machines.
Result<RedistributionPlan> planLoad(const Placement &target,
                                    std::span<const PaddedRange> padding = {},
                                    Machines machines = {});
/// Plans a store to DDR: each element is stored once, by the tiles that hold
/// it, as evenly as cuts at `multiples` allow; by those of the first machine
/// where any of them holds it.
Result<RedistributionPlan> planStore(const Placement &source,
                                     std::span<const PaddedRange> padding = {},
                                     const Extents &multiples = {},
                                     Machines machines = {});

/// An error where there are more transfers than a program may have for one
/// movement: each would be an operation.
Result<> checkFewTransfers(const RedistributionPlan &plan);

/// Whether a plan between these placements (or, for one placement, a load or
/// store of it) is certain to be made, and to have no more transfers than a
/// program may have. It is found by
/// counting the borders of the boxes, at a small part of the cost of a plan.
/// Where it is false, planning may still succeed. Precondition: all placements
/// have one shape.
bool isSurelyPlannable(std::span<const Placement *const> sides,
                       Machines machines = {});

/// Whether the number of boxes alone makes `isSurelyPlannable` true, which is
/// so of few tiles: a few multiplications, less than a look into a table of
/// earlier answers.
bool hasFewBoxes(std::span<const Placement *const> sides,
                 Machines machines = {});

/// The sum over tiles of |D_t \ S_t|: the bound of `received`, without a plan.
int64_t elementsMissing(const Placement &source, const Placement &target,
                        std::span<const PaddedRange> padding = {});

} // namespace npu

#endif // NPU_PLACEMENT_PLANS_REDISTRIBUTIONPLAN_H
