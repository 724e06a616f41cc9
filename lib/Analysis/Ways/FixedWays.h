// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose tensors have the types that they are written with: control
// flow, calls, casts and moves. Each of them has one way to run.

#ifndef NPU_LIB_ANALYSIS_WAYS_FIXEDWAYS_H
#define NPU_LIB_ANALYSIS_WAYS_FIXEDWAYS_H

#include "Movements.h"
#include "npu/Analysis/Choices/Gather.h"
#include "npu/Analysis/Ways/OperationWays.h"

namespace npu {

/// Whether `op` states itself what moves: it gives the form that it names.
bool isMove(mlir::Operation *op);

/// Whether the types of `op` are decided elsewhere.
bool isFixed(mlir::Operation *op);

class FixedWays {
public:
  FixedWays(const Target &target, Movements &movements, EmptyOrigins &origins)
      : target(target), movements(movements), origins(origins),
        question(origins) {}

  /// The only way of a move or a fixed operation.
  OperationWay of(mlir::Operation *op);

private:
  int64_t costInside(mlir::Operation *op) const;
  int64_t costOfGather(mlir::Operation *op);

  const Target &target;
  Movements &movements;
  EmptyOrigins &origins;
  GatherQuestion question;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_WAYS_FIXEDWAYS_H
