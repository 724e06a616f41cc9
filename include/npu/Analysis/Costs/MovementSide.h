// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Movements between every two of many layouts: what an assignment asks for.

#ifndef NPU_ANALYSIS_COSTS_MOVEMENTSIDE_H
#define NPU_ANALYSIS_COSTS_MOVEMENTSIDE_H

#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Placement/Plans/FewTiles.h"

namespace npu {

/// The type that a tensor has before or after movements, and what the costs of
/// all these movements need to know of it.
struct MovementSide {
  explicit MovementSide(mlir::RankedTensorType type);

  mlir::RankedTensorType type;
  /// Of a tensor that lies linear on few tiles, its elements in bytes of their
  /// own; otherwise nothing.
  std::optional<TileIntervals> intervals;
  Permutation order;
};

/// What movementCost() says of the two types without padding. Between few tiles
/// it takes a small part of the time.
ModelledCost movementCost(const MovementSide &from, const MovementSide &to,
                          const Target &target);

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_MOVEMENTSIDE_H
