// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the region of a structured operation computes from entries that may
// differ between two runs (Causality.h).

#ifndef NPU_LIB_ANALYSIS_CAUSALBODY_H
#define NPU_LIB_ANALYSIS_CAUSALBODY_H

#include "PositionFacts.h"
#include "npu/Analysis/Causality.h"

namespace npu {

/// The loops of an operation that count rows of the prompt and positions of the
/// cache; none in operations of the last rows alone.
struct CausalLoops {
  std::optional<unsigned> row, position;
  bool last = false;
};

class CausalBody {
public:
  /// With `behindRow`, the position stands behind the row that reads it, now or
  /// later; without, whatever is read is the same in both runs.
  CausalBody(const Causality &analysis, mlir::linalg::LinalgOp op,
             const CausalLoops &loops, bool behindRow);

  BehindRow valueOf(mlir::Value value);
  BehindRow yielded(unsigned number) {
    return valueOf(op.getBlock()->getTerminator()->getOperand(number));
  }

  /// An operation that may trap on what differs, whether or not its result is
  /// used; null for none.
  mlir::Operation *traps();

  /// Why something differs: the first reason that was met.
  const std::string &why() const { return reason; }
  /// Something is the same only if what the cache holds is finite.
  bool assumedFinite() const { return assumed; }

private:
  BehindRow compute(mlir::Value value);
  BehindRow argument(mlir::BlockArgument argument);
  BehindRow compare(mlir::arith::CmpIOp op);
  mlir::AffineExpr positionOf(mlir::Value value);
  BehindRow differs(const llvm::Twine &why);
  bool addsToZero(mlir::Operation *op);

  const Causality &analysis;
  mlir::linalg::LinalgOp op;
  CausalLoops loops;
  bool behindRow;
  PositionFacts facts;
  llvm::DenseMap<mlir::Value, BehindRow> known;
  std::string reason;
  bool assumed = false;
};

/// An integer division, or a read at a position that may be none.
bool mayTrap(mlir::Operation *op);

/// What an operation computes from such operands; `assumed` is set where that
/// is so only for finite numbers, which is done only if `mayAssume`.
BehindRow computedFrom(mlir::Operation *op, llvm::ArrayRef<BehindRow> operands,
                       bool mayAssume, bool &assumed);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CAUSALBODY_H
