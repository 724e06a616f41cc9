// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepCrossings.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace npu {

DdrParts StepCrossings::partsOf(const StepSlice &slice, const StepSplit &split,
                                Direction direction) {
  DdrParts parts;
  for (auto [loop, count] : split)
    if (slice.changes[loop])
      parts.count *= count;
  if (!target.machines().areSeveral())
    return parts;
  auto [found, isNew] =
      known.try_emplace({split, slice.changes, direction}, parts);
  if (isNew)
    countCrossings(found->second, slice, split, direction);
  return found->second;
}

void StepCrossings::countCrossings(DdrParts &parts, const StepSlice &slice,
                                   const StepSplit &split,
                                   Direction direction) const {
  int64_t used = 1;
  for (auto [loop, count] : split)
    used *= count;
  std::vector<llvm::SmallSet<int64_t, 4>> machinesOf(parts.count);
  for (int64_t tile = 0; tile < used; ++tile) {
    int64_t part = 0, rest = tile, below = used;
    for (auto [loop, count] : split) {
      below /= count;
      if (slice.changes[loop])
        part = part * count + rest / below;
      rest %= below;
    }
    machinesOf[part].insert(target.machines().of(tile));
  }
  for (const auto &machines : machinesOf) {
    bool isOnFirst = machines.contains(0);
    int64_t crossings = direction == Direction::TileToDdr
                            ? !isOnFirst
                            : static_cast<int64_t>(machines.size()) - isOnFirst;
    parts.crossing += crossings > 0;
    parts.crossings += crossings;
  }
}

} // namespace npu
