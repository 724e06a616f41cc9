// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Devices/TileOfBuffers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {

namespace {

using Tiles = std::set<std::optional<int64_t>>;

void addTile(Value value, Tiles &tiles) {
  auto buffer = dyn_cast<BaseMemRefType>(value.getType());
  if (!buffer)
    return;
  auto space = dyn_cast_or_null<IntegerAttr>(buffer.getMemorySpace());
  int64_t number = space ? space.getInt() : 0;
  tiles.insert(number == 0 ? std::nullopt : std::optional(number - 1));
}

/// Adds what operations inside of a loop or a branch write.
void addWritten(Operation *op, Tiles &tiles) {
  op->walk([&](MemoryEffectOpInterface inner) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    inner.getEffects<MemoryEffects::Write>(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (Value value = effect.getValue())
        addTile(value, tiles);
  });
}

} // namespace

std::set<std::optional<int64_t>> tilesOfBuffers(Operation *op) {
  Tiles tiles;
  if (isa<RegionBranchOpInterface>(op))
    addWritten(op, tiles);
  else if (!isa<CallOpInterface>(op))
    for (Value operand : op->getOperands())
      addTile(operand, tiles);
  if (tiles.empty())
    tiles.insert(std::nullopt);
  return tiles;
}

} // namespace npu
