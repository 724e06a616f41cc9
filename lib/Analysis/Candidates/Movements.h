// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to bring values from one layout to another.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_MOVEMENTS_H
#define NPU_LIB_ANALYSIS_CANDIDATES_MOVEMENTS_H

#include "npu/Analysis/Costs/ModelledCost.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace npu {

/// The moves of a value between its layouts, from each layout to each.
struct MoveTable {
  /// Cycles; kImpossible where there is no move.
  std::vector<std::vector<int64_t>> cycles;
  /// Bytes that tiles receive from other tiles.
  std::vector<std::vector<int64_t>> received;
};

/// Movement costs, remembered by types, and by lists of them: the values of
/// equal layers have equal moves.
class Movements {
public:
  explicit Movements(const Target &target) : target(target) {}

  /// Nothing for a tensor that has one value everywhere: it is made again.
  ModelledCost of(mlir::Value value, mlir::RankedTensorType from,
                  mlir::RankedTensorType to);

  /// The moves of `value`, in a loop of so many `rounds`, from the layouts that
  /// it can be made in. The table lives until the next call.
  const MoveTable &between(mlir::Value value,
                           llvm::ArrayRef<mlir::RankedTensorType> layouts,
                           const std::vector<bool> &isMade, int64_t rounds);

private:
  MoveTable compute(mlir::Value value,
                    llvm::ArrayRef<mlir::RankedTensorType> layouts,
                    const std::vector<bool> &isMade, int64_t rounds);

  const Target &target;
  llvm::DenseMap<std::pair<mlir::Type, mlir::Type>, ModelledCost> known;
  std::map<std::vector<uintptr_t>, MoveTable> tables;
  MoveTable padded;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_MOVEMENTS_H
