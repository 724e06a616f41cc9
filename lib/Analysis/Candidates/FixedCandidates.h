// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose tensors have the types that they are written with: control
// flow, calls, casts and moves. Each of them has one candidate to run.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_FIXEDCANDIDATES_H
#define NPU_LIB_ANALYSIS_CANDIDATES_FIXEDCANDIDATES_H

#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Costs/ModelledCost.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace npu {

/// The moves of a value between its layouts, from each layout to each.
struct MoveTable {
  /// Cycles; kImpossible where there is no move.
  std::vector<std::vector<int64_t>> cycles;
  /// Bytes that DDR moves, or that tiles receive from other tiles.
  std::vector<std::vector<int64_t>> bytes;
};

/// Movement costs, remembered by types and padding, and by lists of types: the
/// values of equal layers have equal moves.
class Movements {
public:
  /// Where operations may run in steps, which store padding as well, their
  /// results in DDR have no padding that is known.
  explicit Movements(const Target &target, bool hasSteps = false)
      : target(target), hasSteps(hasSteps) {}

  /// Nothing for a tensor that has one value everywhere: it is made again.
  ModelledCost of(mlir::Value value, mlir::RankedTensorType from,
                  mlir::RankedTensorType to);

  /// The moves of `value`, in a loop of so many `rounds`, from the layouts that
  /// it can be made in.
  const MoveTable &between(mlir::Value value,
                           llvm::ArrayRef<mlir::RankedTensorType> layouts,
                           const std::vector<bool> &isMade, int64_t rounds);

private:
  Padding paddingFrom(mlir::Value value, mlir::RankedTensorType from) const;
  MoveTable compute(mlir::Value value,
                    llvm::ArrayRef<mlir::RankedTensorType> layouts,
                    const std::vector<bool> &isMade, int64_t rounds);

  const Target &target;
  bool hasSteps;
  using Costs = llvm::DenseMap<std::pair<mlir::Type, mlir::Type>, ModelledCost>;
  Costs unpadded;
  std::map<std::vector<int64_t>, Costs> padded;
  std::map<std::vector<uintptr_t>, MoveTable> tables;
};

/// Whether the types of `op` are decided elsewhere.
bool isFixed(mlir::Operation *op);

class FixedCandidates {
public:
  FixedCandidates(const Target &target, Movements &movements,
                  EmptyOrigins &origins)
      : target(target), movements(movements), origins(origins),
        question(origins) {}

  /// The only candidate of a move or a fixed operation.
  OperationCandidate of(mlir::Operation *op);

private:
  int64_t costInside(mlir::Operation *op) const;
  int64_t costOfHostFallback(mlir::Operation *op);

  const Target &target;
  Movements &movements;
  EmptyOrigins &origins;
  HostFallbackQuery question;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_FIXEDCANDIDATES_H
