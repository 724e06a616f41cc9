// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many elements each transfer of a plan moves, without the boxes: what
// decides how long a plan takes (npu/Target/PlanCost.h).

#ifndef NPU_PLACEMENT_PLANS_TRANSFERVOLUMES_H
#define NPU_PLACEMENT_PLANS_TRANSFERVOLUMES_H

#include "npu/Placement/Plans/RedistributionPlan.h"

namespace npu {

/// Transfers that move the same number of elements each.
struct EqualTransfers {
  int64_t elements = 0;
  int64_t count = 0;

  friend auto operator<=>(const EqualTransfers &,
                          const EqualTransfers &) = default;
};

/// Transfers by the number of their elements, in increasing order, each number
/// once.
using Volumes = std::vector<EqualTransfers>;

/// The transfers of one plan. What is given by tile has an entry for each tile
/// that takes part.
struct TransferVolumes {
  /// No transfers.
  explicit TransferVolumes(std::size_t tileCount)
      : sent(tileCount), received(tileCount), loaded(tileCount),
        stored(tileCount) {}

  /// Between tiles, by sender (a multicast leaves it once) and by receiver.
  std::vector<Volumes> sent, received;
  /// From DDR, by receiver, and each once (a multicast load is one).
  std::vector<Volumes> loaded;
  Volumes loads;
  /// To DDR, by sender, and each once.
  std::vector<Volumes> stored;
  Volumes stores;

  friend bool operator==(const TransferVolumes &,
                         const TransferVolumes &) = default;

  /// The elements that tiles receive from tiles, and that are loaded and
  /// stored: the figures `received` and `ddr` of the plan together.
  int64_t elementsMoved() const;
};

/// The volumes of a plan's transfers, where tiles 0 ... tileCount - 1 take
/// part.
TransferVolumes volumesOf(const RedistributionPlan &plan,
                          std::size_t tileCount);

/// The volumes of the transfers that planRedistribution, planLoad and planStore
/// give, with the errors of these and that of `checkFewTransfers`. Between
/// grids of which every box that is sent is held by one tile alone they are
/// known without the plan, in time linear in tiles; else the plan is made.
/// Example: 8x8 from two tiles by rows to the same by columns sends 16 elements
/// from each to the other.
Result<TransferVolumes>
redistributionVolumes(const Placement &source, const Placement &target,
                      std::span<const PaddedRange> padding = {},
                      const Extents &multiples = {});
Result<TransferVolumes> loadVolumes(const Placement &target,
                                    std::span<const PaddedRange> padding = {});
Result<TransferVolumes> storeVolumes(const Placement &source,
                                     std::span<const PaddedRange> padding = {},
                                     const Extents &multiples = {});

} // namespace npu

#endif // NPU_PLACEMENT_PLANS_TRANSFERVOLUMES_H
