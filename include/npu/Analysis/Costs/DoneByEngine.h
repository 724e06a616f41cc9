// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What matrix engines do of other operations, beside their own work and at no
// cost: the first steps of what reads their results (OutputStage.h), and the
// zeros around what they read (InputPadding.h).

#ifndef NPU_ANALYSIS_COSTS_DONEBYENGINE_H
#define NPU_ANALYSIS_COSTS_DONEBYENGINE_H

#include "npu/Analysis/Costs/InputPadding.h"
#include "npu/Analysis/Costs/OutputStage.h"

namespace npu {

/// What engines do of one operation. Either costs nothing as long as no move
/// lies between it and the engine's own operation.
struct DoneByEngine {
  /// The operand whose maker does the first steps.
  std::optional<StagedOperand> staged;
  /// Whether the readers of the result do all of it.
  bool byReader = false;

  bool isAny() const { return staged || byReader; }

  friend bool operator==(const DoneByEngine &, const DoneByEngine &) = default;
};

inline DoneByEngine doneByEngine(mlir::Operation *op,
                                 const CostFigures &figures) {
  return {findStagedOperand(op, figures),
          !findPaddingReaders(op, figures).empty()};
}

} // namespace npu

#endif // NPU_ANALYSIS_COSTS_DONEBYENGINE_H
