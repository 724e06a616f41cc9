// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlacementCache.h"

namespace npu {

const Result<Placement> &PlacementCache::get(LayoutAttr layout,
                                             const Extents &shape) {
  Key key{layout, shape};
  {
    llvm::sys::ScopedReader lock(mutex);
    if (auto it = placements.find(key); it != placements.end())
      return it->second;
  }
  // Computed outside the lock; of two threads that race, the first one's result
  // stays and both are equal.
  Result<Placement> placement = place(layout.getDistribution(), shape);
  llvm::sys::ScopedWriter lock(mutex);
  return placements.try_emplace(std::move(key), std::move(placement))
      .first->second;
}

const Result<Placement> &NPUDialect::getPlacement(LayoutAttr layout,
                                                  const Extents &shape) {
  return placements->get(layout, shape);
}

} // namespace npu
