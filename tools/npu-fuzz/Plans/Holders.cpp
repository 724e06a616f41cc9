// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Plans/Holders.h"

namespace npu {

Holders holdersOf(const Placement &placement) {
  Holders holders(Box::whole(placement.shape).volume());
  for (std::size_t tile = 0; tile < placement.tiles.size(); ++tile)
    forEachElementIn(
        placement.tiles[tile].memory, placement.shape,
        [&](std::size_t element) { holders[element] |= uint64_t{1} << tile; });
  return holders;
}

} // namespace npu
