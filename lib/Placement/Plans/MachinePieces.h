// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pieces bring from one machine to another, and the parts of them that
// bring as little as there has to be.

#ifndef NPU_LIB_PLACEMENT_PLANS_MACHINEPIECES_H
#define NPU_LIB_PLACEMENT_PLANS_MACHINEPIECES_H

#include "Pieces.h"
#include "npu/Placement/Plans/Machines.h"

namespace npu {

/// The machines of a plan's tiles, among which one number may stand for the
/// DDR.
struct TileMachines {
  Machines machines;
  int ddr = kDdr;

  bool areSeveral() const { return machines.areSeveral(); }
  int64_t of(int tile) const { return machines.of(tile == ddr ? kDdr : tile); }
};

/// The elements that some tile of a machine misses and no tile of it holds, in
/// the sum over machines.
int64_t leastBetweenMachines(const std::vector<Piece> &pieces, TileSets &sets,
                             const TileMachines &machines);

/// Replaces each piece by one for each machine that misses it. Those of its
/// holders that are on that machine can send it there, or all of them where
/// none is. Errors: more pieces, or sets of tiles, than a plan may have.
/// Example: with two tiles on each machine, what tiles 0 and 2 hold and all
/// others miss becomes a piece from 0 to 1, one from 2 to 3, and one from 0 or
/// 2 to 4 and 5.
Result<> splitByMachine(std::vector<Piece> &pieces, TileSets &sets,
                        const TileMachines &machines);

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_MACHINEPIECES_H
