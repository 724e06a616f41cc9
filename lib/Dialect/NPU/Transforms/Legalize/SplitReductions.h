// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a reduction where the operands it reduces lie: partial results on their
// tiles, rows of one tensor, and a reduction over these rows in the order of
// the parts.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_SPLITREDUCTIONS_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_SPLITREDUCTIONS_H

#include "Materializer.h"
#include "npu/Analysis/Choices/SplitReduction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

class ReductionSplitter {
public:
  ReductionSplitter(mlir::MLIRContext *context, MovementCache &movement,
                    Materializer &materializer)
      : builder(context), movement(movement), materializer(materializer) {}

  /// To be told of every operation in program order, so that a reduction that
  /// is split can be found in the function as it was.
  void count(mlir::Operation *op);

  struct Plan {
    Reduction reduction;
    ReductionSplit split;
    /// Partial results are combined under this layout, then moved to the
    /// declared one.
    mlir::RankedTensorType combined;
    double cost;
  };

  /// The split that moves the fewest bytes, if `op` can be split at all.
  std::optional<Plan> cheapest(mlir::Operation *op);

  /// Writes the plan before `op` and gives op's users the new result. Returns
  /// the new operations on tiles in program order; `op` is left for the caller
  /// to erase.
  llvm::SmallVector<mlir::Operation *> apply(mlir::Operation *op,
                                             const Plan &plan);

private:
  double costOf(mlir::Operation *op, const Plan &plan);
  /// A series of partial results.
  mlir::Value partials(mlir::linalg::LinalgOp op, const Plan &plan,
                       const ReductionSeries &series,
                       llvm::ArrayRef<mlir::Value> sources,
                       mlir::Value neutral);
  /// All partial results, brought to where they are combined, into
  /// `accumulator`.
  mlir::Value combine(mlir::Operation *op, const Plan &plan,
                      mlir::Value partials, mlir::Value accumulator);

  mlir::DictionaryAttr describe(mlir::Operation *op, const Plan &plan);

  mlir::OpBuilder builder;
  MovementCache &movement;
  Materializer &materializer;
  /// Reductions in this function so far, and their numbers.
  int64_t reductions = 0;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_SPLITREDUCTIONS_H
