// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through the region of a structured operation and says what its values
// are in two executions that are compared (PairFact.h). Which two these are,
// and what the region is given in them, a question says.

#ifndef NPU_LIB_ANALYSIS_BODY_BODYEVALUATOR_H
#define NPU_LIB_ANALYSIS_BODY_BODYEVALUATOR_H

#include "npu/Analysis/Body/PairTransfer.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace npu {

/// What the region of a structured operation is given. Each answer must hold
/// for every pair of executions that the question is about.
class BodyQuestion {
public:
  virtual ~BodyQuestion() = default;

  /// An argument of the region: an entry of an operand.
  virtual PairFact argument(mlir::BlockArgument argument) = 0;
  /// A value from outside of the region that is no constant.
  virtual PairFact outside(mlir::Value value) = 0;
  /// An integer that follows from where loops stand; nothing for others.
  virtual std::optional<PairFact> position(mlir::Value value) = 0;
  /// A comparison of positions; nothing for others.
  virtual std::optional<PairFact> comparison(mlir::arith::CmpIOp compare) = 0;
  /// An operand as it is given in the program that runs, where that is not
  /// quite the one that is written.
  virtual PairFact operand(mlir::OpOperand &, const PairFact &asWritten) {
    return asWritten;
  }
  /// What entries of a tensor that the region reads by position may be.
  virtual FloatClasses entriesOf(mlir::Value) { return FloatClasses::all(); }
  virtual TransferOptions optionsOf(mlir::Operation *) { return {}; }
  /// What an operation gives, after its operands are known, and for what does
  /// not fold. For questions that want to say why something is not known.
  virtual void saw(mlir::Operation *, llvm::ArrayRef<PairFact>,
                   const PairFact &) {}
  /// An operation of which nothing is known.
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
