// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of several machines: which tile is on which, and what goes from one
// machine to another.

#ifndef NPU_PLACEMENT_PLANS_MACHINES_H
#define NPU_PLACEMENT_PLANS_MACHINES_H

#include "npu/Placement/Plans/RedistributionPlan.h"

namespace npu {

/// Calls `visit(machine)` for each machine that something has to cross to, once
/// however many of its tiles it goes to. `to` increases, as the receivers of a
/// transfer do. Example: of machines of two tiles each, what goes from tile 0
/// to tiles 1, 2 and 3 crosses to machine 1.
template <typename Tiles, typename Visit>
void forEachCrossing(Machines machines, int64_t from, const Tiles &to,
                     Visit visit) {
  int64_t last = machines.of(from);
  for (int64_t tile : to)
    if (int64_t machine = machines.of(tile);
        machine != machines.of(from) && machine != last)
      visit(last = machine);
}

/// How many machines something crosses to.
template <typename Tiles>
int64_t countCrossings(Machines machines, int64_t from, const Tiles &to) {
  int64_t count = 0;
  forEachCrossing(machines, from, to, [&](int64_t) { ++count; });
  return count;
}

} // namespace npu

#endif // NPU_PLACEMENT_PLANS_MACHINES_H
