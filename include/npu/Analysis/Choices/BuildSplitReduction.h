// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that a split reduction (SplitReduction.h) becomes.
// Legalization and assignment write them into functions; who asks what a split
// would cost builds them in a block of their own.
//
//   %p = linalg.generic ... outs(neutral)   // for each series, rows of one
//   tensor %q = tensor.concat ...                  // of several series
//   (whoever builds brings %q to where it is combined)
//   %r = linalg.generic ins(%q) outs(init)  // a reduction over the rows

#ifndef NPU_ANALYSIS_CHOICES_BUILDSPLITREDUCTION_H
#define NPU_ANALYSIS_CHOICES_BUILDSPLITREDUCTION_H

#include "npu/Analysis/Choices/SplitReduction.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace npu {

/// The padding of partial results, from that of the result: each dimension is
/// one further after.
Padding paddingOfPartials(Padding padding);

class SplitReductionBuilder {
public:
  /// Builds with `builder`, where that stands. `op` is left as it is.
  SplitReductionBuilder(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                        const Reduction &reduction, const ReductionSplit &split)
      : builder(builder), op(op), reduction(reduction), split(split) {}

  /// Builds the partial results of type `split.partials`. `inputs` stand for
  /// the inputs of `op`; what is read of them has to be on the tiles that run
  /// the parts.
  mlir::Value partials(mlir::ValueRange inputs);

  /// Builds the reduction of `rows`, the partial results where they are
  /// combined, into `accumulator`, whose type the result gets. `number` is that
  /// of `op` among the reductions of its function (ReductionNumbers).
  mlir::linalg::GenericOp combine(mlir::Value rows, mlir::Value accumulator,
                                  int64_t number);

private:
  mlir::Value ofSeries(const ReductionSeries &series, mlir::ValueRange inputs,
                       mlir::Value neutral);
  mlir::DictionaryAttr describe(int64_t number);

  mlir::OpBuilder &builder;
  mlir::linalg::LinalgOp op;
  const Reduction &reduction;
  const ReductionSplit &split;
};

/// The loops of `op` that run through one part, where `op` is what partials()
/// builds of a series; none where it is something else. Loop 0 counts the parts
/// then.
llvm::SmallBitVector loopsOfParts(mlir::linalg::LinalgOp op);

/// The numbers of the reductions in each function, by which npu-run finds a
/// split reduction in the original.
class ReductionNumbers {
public:
  /// To be called with every operation in program order, functions before what
  /// is in them.
  void count(mlir::Operation *op);
  /// The number of a reduction that has been counted.
  int64_t of(mlir::Operation *op) const { return numbers.lookup(op); }

private:
  int64_t reductions = 0;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_BUILDSPLITREDUCTION_H
