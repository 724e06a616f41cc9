// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/TileIterations.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

using namespace mlir;

namespace npu {

/// The iterations by which each tile produces the boxes that `boxOf` selects of
/// its compute and memory boxes of results with these types.
template <typename BoxOf>
static TileIterations iterationsOf(const OpAccess &access, TypeRange types,
                                   BoxOf boxOf) {
  TileIterations iterations;
  for (auto [number, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    const Placement *placement = tensor ? getPlacement(tensor) : nullptr;
    if (!placement)
      continue;
    IterationDomain none = access.domain();
    none.empty = true;
    if (iterations.size() < placement->tiles.size())
      iterations.resize(placement->tiles.size(), none);
    for (auto [iteration, tile] : llvm::zip(iterations, placement->tiles))
      iteration = hull(iteration, access.iterationsFor(number, boxOf(tile)));
  }
  return iterations;
}

TileIterations iterationsForMemory(const OpAccess &access, TypeRange types) {
  return iterationsOf(access, types,
                      [](const TileBoxes &tile) { return tile.memory; });
}

TileIterations iterationsForCompute(const OpAccess &access, Operation *op) {
  return iterationsOf(access, op->getResultTypes(),
                      [](const TileBoxes &tile) { return tile.compute; });
}

std::optional<Shortage> findShortage(const OpAccess &access, Operation *op,
                                     const TileIterations &iterations) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    RankedTensorType type = rankedType(operand.get());
    if (!type || !access.reads(number))
      continue;
    const Placement *placement = getPlacement(type);
    for (auto [tile, iteration] : llvm::enumerate(iterations)) {
      Box reads = access.read(number, iteration);
      if (reads.isEmpty())
        continue;
      Box holds = placement ? placement->memoryOf(tile)
                            : nothingOf(toExtents(type.getShape()));
      if (!placement || !holds.contains(reads))
        return Shortage{number, tile, reads, holds,
                        access.produced(0, iteration)};
    }
  }
  return std::nullopt;
}

std::optional<Overrun> findOverrun(const OpAccess &access, Operation *op,
                                   const TileIterations &iterations,
                                   TypeRange types) {
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    OpOperand *output = tiedOutput(op, number);
    const Placement *placement =
        getPlacement(cast<RankedTensorType>(types[number]));
    if (!output || !placement || !access.reads(output->getOperandNumber()))
      continue;
    for (auto [tile, iteration] : llvm::enumerate(iterations)) {
      Box writes = access.produced(number, iteration);
      Box holds = placement->memoryOf(tile);
      if (!writes.isEmpty() && !holds.contains(writes))
        return Overrun{number, tile, writes, holds};
    }
  }
  return std::nullopt;
}

} // namespace npu
