// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the region of a structured operation computes in the two runs of
// Causality.h: of the whole prompt (left) and of a chunk of it (right).

#ifndef NPU_LIB_ANALYSIS_CAUSALITY_CAUSALBODY_H
#define NPU_LIB_ANALYSIS_CAUSALITY_CAUSALBODY_H

#include "../Body/BodyEvaluator.h"
#include "../Positions/PositionFacts.h"
#include "npu/Analysis/Causality/Causality.h"

namespace npu {

/// Which entries of its operands a region is given.
enum class Entries {
  /// Entries of rows and positions that both runs have.
  Visible,
  /// Entries at a position after the row that reads them, in this chunk or a
  /// later one.
  After,
  /// Entries at position 0, which every row sees.
  First
};

class CausalBody final : BodyQuestion {
public:
  /// `outputs` has a fact for the argument of each output: for an entry of the
  /// output, or for what has been accumulated so far.
  CausalBody(const Causality &analysis, mlir::linalg::LinalgOp op,
             const CausalLoops &loops, Entries which, Assuming assuming,
             llvm::ArrayRef<PairFact> outputs);

  PairFact valueOf(mlir::Value value) { return evaluator.valueOf(value); }
  PairFact yielded(unsigned number) { return evaluator.yielded(number); }
  /// An operation that may trap on values that differ between the runs, whether
  /// or not its result is used; null where there is none.
  mlir::Operation *traps();
  /// The first reason that was found why a value differs between the runs.
  const std::string &why() const { return reason; }
  /// The first reason that was found why zeros differ in their sign.
  const std::string &whyZerosDiffer() const { return ofZeros; }

private:
  PairFact argument(mlir::BlockArgument argument) override;
  PairFact outside(mlir::Value value) override;
  std::optional<PairFact> position(mlir::Value value) override;
  std::optional<PairFact> comparison(mlir::arith::CmpIOp compare) override;
  FloatClasses entriesOf(mlir::Value tensor) override;
  TransferOptions optionsOf(mlir::Operation *op) override;
  void saw(mlir::Operation *op, llvm::ArrayRef<PairFact> operands,
           const PairFact &result) override;
  void sawUnknown(mlir::Operation *op) override;

  mlir::AffineExpr positionOf(mlir::Value value);
  bool isSame(mlir::AffineExpr expr) const {
    return analysis.isSame(expr, loops.row, loops.last);
  }
  PairFact differs(mlir::Type type, const llvm::Twine &why);

  const Causality &analysis;
  mlir::linalg::LinalgOp op;
  CausalLoops loops;
  Entries which;
  Assuming assuming;
  llvm::SmallVector<PairFact> outputs;
  PositionFacts facts;
  PositionLimits limits;
  BodyEvaluator evaluator;
  std::string reason, ofZeros;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CAUSALITY_CAUSALBODY_H
