// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation and a movement cost on a device. The assignment of layouts
// and the reports ask here, so that their figures are the same.
// docs/costs.md says which operation counts as what.

#ifndef NPU_ANALYSIS_COSTS_MODELLEDCOST_H
#define NPU_ANALYSIS_COSTS_MODELLEDCOST_H

#include "npu/Analysis/Costs/DoneByEngine.h"
#include "npu/Dialect/NPU/IR/CycleMarks.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Placement/Distributions/Padding.h"
#include "npu/Target/Target.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace npu {

/// Cycles of the target's clock, the busiest tile (the first of several), the
/// bytes that move, and those that DDR reads and writes: what several tiles
/// receive is read once. Cycles stay at INT64_MAX where there would be more.
struct ModelledCost {
  int64_t cycles = 0;
  int64_t tile = 0;
  int64_t bytes = 0;
  int64_t ddrBytes = 0;
  /// Of the cycles of a movement, those in which tiles put what has arrived, or
  /// is to leave, into another order.
  int64_t relaying = 0;

  friend bool operator==(const ModelledCost &, const ModelledCost &) = default;
};

/// The work of `op` where each tile produces its memory boxes of results that
/// have `resultTypes`, one for each result. Where none of these has a
/// distribution, or where tiles cannot do `op` part by part, it is done in DDR,
/// by itself: then the bytes that it writes are copied within DDR. `access` is
/// null where nobody knows what `op` reads. Views, control flow, calls,
/// constants and tensors of one value or of none cost nothing, and neither does
/// what an engine does on tiles beside its own work: `done` is what
/// doneByEngine() says of `op`, without that from which a move separates it.
ModelledCost operationCost(mlir::Operation *op, const OpAccess *access,
                           mlir::TypeRange resultTypes, const Target &target,
                           const DoneByEngine &done = {});

/// The cycles of each tile's part of an operation, and the engine of a tile
/// that does it.
struct TileCycles {
  llvm::SmallVector<int64_t> cycles;
  CycleEngine engine = CycleEngine::Vector;
  /// What all tiles load of tensors in DDR for it.
  int64_t ddrBytes = 0;
};

/// What operationCost() takes the largest of; nothing where tiles do not do
/// `op` part by part, and for what costs nothing.
std::optional<TileCycles> tileCycles(mlir::Operation *op,
                                     const OpAccess *access,
                                     mlir::TypeRange resultTypes,
                                     const Target &target,
                                     const DoneByEngine &done = {});

/// The work of `op` where the host does it (`npu.host`) on tensors in DDR: what
/// copying its results there costs and, because no figure of a host is known,
/// what the vector engine of one tile takes for all of it. `resultTypes` are
/// without distributions.
ModelledCost hostCost(mlir::Operation *op, mlir::TypeRange resultTypes,
                      const Target &target);

/// The cycles of a tile that does as much of `op` as an even split of its
/// longest loop among the tiles of `target` gives it: what operations cost
/// before anybody knows where they run, and as if `op` had replaced `replaced`.
/// INT64_MAX where nobody knows what `op` reads. Precondition: `op` has one
/// result, a tensor.
int64_t evenCost(mlir::Operation *op, const Target &target,
                 llvm::ArrayRef<mlir::Operation *> replaced = {});

/// The cycles in which each tile puts what it holds into another order, where a
/// tensor comes from one type to the other: movementCost() has the busiest
/// tile's.
llvm::SmallVector<int64_t> relayingCycles(mlir::RankedTensorType from,
                                          mlir::RankedTensorType to,
                                          const Target &target);

/// Bringing a tensor from one type to the other: the transfers of the plan
/// between them, and then, where dimensions change their order in a tile's
/// memory, a copy by the tile's vector engine. The bytes are those that tiles
/// receive, and those loaded and stored. INT64_MAX cycles where no plan can be
/// made. Precondition: both types have one shape and element type.
ModelledCost movementCost(mlir::RankedTensorType from,
                          mlir::RankedTensorType to,
                          std::span<const PaddedRange> padding,
                          const Target &target);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_MODELLEDCOST_H
