// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a structured operation's region computes where one loop stands in
// padding and all others on real entries, as far as it follows from what
// padding contains and from comparisons of positions (a causal mask). The
// region is taken as it is after padding: what would trap is given harmless
// operands there.

#ifndef NPU_LIB_ANALYSIS_PADDING_PADDEDBODY_H
#define NPU_LIB_ANALYSIS_PADDING_PADDEDBODY_H

#include "../Body/BodyEvaluator.h"
#include "../Positions/PositionFacts.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"

namespace npu {

/// Left: `paddedLoop` stands in padding. Right: it stands on any real entry.
/// The other loops stand on the same entries, all real, in both.
class PaddedBody final : BodyQuestion {
public:
  PaddedBody(const PaddingAnalysis &analysis, mlir::linalg::LinalgOp op,
             const PaddingState &loops, unsigned paddedLoop);

  PairFact valueOf(mlir::Value value) { return evaluator.valueOf(value); }
  PairFact yielded(unsigned number) { return evaluator.yielded(number); }
  /// At every legal prompt length the loop has a real entry.
  bool hasRealEntries();

private:
  PairFact argument(mlir::BlockArgument argument) override;
  PairFact outside(mlir::Value value) override;
  std::optional<PairFact> position(mlir::Value value) override;
  std::optional<PairFact> comparison(mlir::arith::CmpIOp compare) override;
  PairFact operand(mlir::OpOperand &operand,
                   const PairFact &asWritten) override;
  TransferOptions optionsOf(mlir::Operation *op) override;

  mlir::AffineExpr positionOf(mlir::Value value);
  /// What is known of the positions in the execution that stands in padding, or
  /// in the one on real entries. Worked out when the first comparison asks:
  /// most regions compare nothing.
  const PositionFacts &positionFacts(bool inPadding);
  PositionFacts factsWhere(bool inPadding);
  PaddingContent contentRead(mlir::OpOperand &operand);

  const PaddingAnalysis &analysis;
  mlir::linalg::LinalgOp op;
  const PaddingState &loops;
  unsigned paddedLoop;
  std::optional<PositionFacts> factsInPadding, factsOnReal;
  PositionLimits limits;
  BodyEvaluator evaluator;
};

/// An entry of padding (left) beside any real entry of its row (right).
PairFact toPairFact(const PaddingContent &content, mlir::Type type);
/// The same of a fact, as far as PaddingContent has a word for it.
PaddingContent toContent(const PairFact &fact);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_PADDING_PADDEDBODY_H
