// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the region of a structured operation: computes what its values are
// in two executions that are compared (PairFact.h). A BodyQuestion says which
// executions these are, and what the region is given in them.

#ifndef NPU_LIB_ANALYSIS_BODY_BODYEVALUATOR_H
#define NPU_LIB_ANALYSIS_BODY_BODYEVALUATOR_H

#include "npu/Analysis/Body/PairTransfer.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace npu {

/// What is known of the values that the region of a structured operation uses.
/// Each answer must hold for every pair of executions that the question is
/// about.
class BodyQuestion {
public:
  virtual ~BodyQuestion() = default;

  /// An argument of the region: an entry of an operand.
  virtual PairFact argument(mlir::BlockArgument argument) = 0;
  /// A value from outside of the region that is no constant.
  virtual PairFact outside(mlir::Value value) = 0;
  /// The fact of an integer that follows from the positions of loops; nothing
  /// for other values.
  virtual std::optional<PairFact> position(mlir::Value value) = 0;
  /// The fact of a comparison of positions; nothing for other comparisons.
  virtual std::optional<PairFact> comparison(mlir::arith::CmpIOp compare) = 0;
  /// The fact of an operand in the program that runs, where that differs from
  /// the operand in the IR.
  virtual PairFact operand(mlir::OpOperand &, const PairFact &asWritten) {
    return asWritten;
  }
  /// The classes of the entries of a tensor that the region reads by position.
  virtual FloatClasses entriesOf(mlir::Value) { return FloatClasses::all(); }
  virtual TransferOptions optionsOf(mlir::Operation *) { return {}; }
  /// Called with the operands and the result of each operation that does not
  /// fold, for questions that record why something is not known.
  virtual void saw(mlir::Operation *, llvm::ArrayRef<PairFact>,
                   const PairFact &) {}
  /// Called for an operation of which nothing is known.
  virtual void sawUnknown(mlir::Operation *) {}
};

class BodyEvaluator {
public:
  BodyEvaluator(mlir::linalg::LinalgOp op, BodyQuestion &question)
      : op(op), question(question) {}

  PairFact valueOf(mlir::Value value);
  PairFact yielded(unsigned number) {
    return valueOf(op.getBlock()->getTerminator()->getOperand(number));
  }

private:
  PairFact compute(mlir::Value value);
  PairFact ofOperation(mlir::OpResult value);
  PairFact ofChoice(mlir::scf::IfOp choice, unsigned number);

  mlir::linalg::LinalgOp op;
  BodyQuestion &question;
  llvm::DenseMap<mlir::Value, PairFact> known;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_BODY_BODYEVALUATOR_H
