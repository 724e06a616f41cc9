// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Devices/TileOfBuffers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace npu {

std::set<std::optional<int64_t>> tilesOfBuffers(Operation *op) {
  std::set<std::optional<int64_t>> tiles;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      auto buffer = dyn_cast<BaseMemRefType>(operand.getType());
      if (!buffer)
        continue;
      auto space = dyn_cast_or_null<IntegerAttr>(buffer.getMemorySpace());
      int64_t number = space ? space.getInt() : 0;
      tiles.insert(number == 0 ? std::nullopt : std::optional(number - 1));
    }
  });
  if (tiles.empty())
    tiles.insert(std::nullopt);
  return tiles;
}

} // namespace npu
