// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The volumes of transfers between grids, without a plan.

#ifndef NPU_LIB_PLACEMENT_PLANS_GRIDVOLUMES_H
#define NPU_LIB_PLACEMENT_PLANS_GRIDVOLUMES_H

#include "npu/Placement/Plans/TransferVolumes.h"

namespace npu {

/// The volumes of a plan between placements of one shape, of which one may be
/// null and stands for the DDR; or the planner's error, where there are too
/// many pieces. Nothing where they do not follow from grids: a side is none, or
/// several tiles hold a box that is sent, or the planner could reach another of
/// its limits.
///
/// Where every box of `source` has one holder, there is one transfer for each
/// pair of a box of `source` and a box of `target` that overlap, unless the
/// holder alone needs it: no choice of senders, nothing to join and nothing to
/// cut. What overlaps is a product of what overlaps along each dimension, where
/// few lengths occur, each many times.
std::optional<Result<TransferVolumes>>
volumesBetweenGrids(const Placement *source, const Placement *target);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_GRIDVOLUMES_H
