// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of redistribution plans by executing them element by element and
// counting: what plans must do, and what they must not cost (docs/concepts.md,
// "Redistribution, and how good it can be").

#ifndef NPU_FUZZ_PLANS_CHECKPLAN_H
#define NPU_FUZZ_PLANS_CHECKPLAN_H

#include "npu/Placement/Plans/RedistributionPlan.h"

namespace npu {

/// The first of several findings that is an error, or none.
inline Result<> firstOf(std::initializer_list<Result<>> findings) {
  for (const Result<> &each : findings)
    if (!each)
      return each;
  return Success();
}

/// Checks a plan between tiles. Returns nothing, or the first of these rules
/// that does not hold: every sender holds what it sends; no tile receives
/// elements that it has, does not need or was sent before; afterwards every
/// tile has its box of `target`; each figure is the sum over the transfers and
/// meets its bound; no two transfers could be one, and there are no more than
/// pieces and tiles together. Padding is neither held nor needed. `multiples`
/// are those that the plan was asked to keep.
Result<> checkRedistribution(const Placement &source, const Placement &target,
                             const RedistributionPlan &plan,
                             std::span<const PaddedRange> padding = {},
                             const Extents &multiples = {});

/// The checks for a load (each wanted element leaves DDR once) and for a store
/// (each element is stored once, by a tile that holds it).
Result<> checkLoad(const Placement &target, const RedistributionPlan &plan,
                   std::span<const PaddedRange> padding = {});
Result<> checkStore(const Placement &source, const RedistributionPlan &plan,
                    std::span<const PaddedRange> padding = {});

/// Checks a plan between tiles of several machines, with the DDR (null) on the
/// first one, by looking at each element for each machine: a transfer between
/// tiles goes to tiles of one machine, from a tile there wherever one holds the
/// element; every tile gets what it misses, once; what crosses is the least
/// that can, and the busiest sender sends less than a slice more than it has to
/// by then.
Result<> checkOnMachines(const Placement *source, const Placement *target,
                         const RedistributionPlan &plan, Machines machines,
                         std::span<const PaddedRange> padding = {},
                         const Extents &multiples = {});

/// Checks that what moves of a byte that `perByte` elements share leaves one
/// sender, for the same receivers, and is all of it that is not padding.
Result<> checkSharedBytes(const Extents &shape, const RedistributionPlan &plan,
                          int64_t perByte,
                          std::span<const PaddedRange> padding = {});

/// The least that the busiest sender can send, in elements, by its closed
/// formula: the maximum, over all sets of tiles, of the missing elements that
/// only tiles of the set hold, divided by the number of tiles. Nothing for more
/// than 12 tiles, which have too many sets.
std::optional<int64_t> leastBusiestSender(const Placement &source,
                                          const Placement &target);

/// The largest of the smallest slices into which missing boxes can be cut at
/// `multiples` (anywhere where there are none), in elements: how far the
/// busiest sender may be above its bound.
int64_t largestSlice(const Placement &source, const Placement &target,
                     const Extents &multiples = {});

/// The number of pieces, by brute force: missing elements with equal holders
/// and equal receivers, joined to boxes two at a time until no two of them are
/// a box.
std::size_t countPieces(const Placement &source, const Placement &target);

/// Checks that the other forms of a distribution give the same placement: its
/// canonical form, which is a fixpoint; its boxes written out; the shortest
/// description of them; the image under a permutation and back.
Result<> checkForms(const Distribution &distribution, const Extents &shape);

} // namespace npu

#endif // NPU_FUZZ_PLANS_CHECKPLAN_H
