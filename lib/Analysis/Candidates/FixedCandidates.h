// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose tensors have the types that they are written with: control
// flow, calls, casts and moves. Each of them has one candidate to run.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_FIXEDCANDIDATES_H
#define NPU_LIB_ANALYSIS_CANDIDATES_FIXEDCANDIDATES_H

#include "Movements.h"
#include "npu/Analysis/Candidates/OperationCandidates.h"
#include "npu/Analysis/Choices/HostFallback.h"

namespace npu {

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
