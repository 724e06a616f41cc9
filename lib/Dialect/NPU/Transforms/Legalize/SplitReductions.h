// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a reduction so that it runs where its operands are: tiles compute
// partial results, rows of one tensor, and a reduction over these rows combines
// them in the order of the parts.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_SPLITREDUCTIONS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_SPLITREDUCTIONS_H

#include "Materializer.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"

namespace npu {

class ReductionSplitter {
public:
  ReductionSplitter(mlir::MLIRContext *context, MovementCache &movement,
                    Materializer &materializer)
      : builder(context), movement(movement), materializer(materializer) {}

  /// Numbers the reductions. To be called with every operation in program
  /// order, so that a split reduction can be found in the original function.
  void count(mlir::Operation *op) { numbers.count(op); }

  struct Plan {
    Reduction reduction;
    ReductionSplit split;
    /// The layout under which partial results are combined; the result is then
    /// moved to the declared one.
    mlir::RankedTensorType combined;
    double cost;
  };

  /// The split that moves the fewest bytes, if `op` can be split at all.
  std::optional<Plan> cheapest(mlir::Operation *op);

  /// Builds the split reduction before `op` and replaces the uses of `op`.
  /// Returns the new operations on tiles in program order; the caller erases
  /// `op`.
  llvm::SmallVector<mlir::Operation *> apply(mlir::Operation *op,
                                             const Plan &plan);

private:
  double costOf(mlir::Operation *op, const Plan &plan);

  mlir::OpBuilder builder;
  MovementCache &movement;
  Materializer &materializer;
  ReductionNumbers numbers;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_SPLITREDUCTIONS_H
