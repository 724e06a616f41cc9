// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the region of a structured operation computes where one loop is in
// padding and all others are on real entries, as far as that follows from the
// content of padding and from comparisons of positions (a causal mask). The
// region is taken as it is after padding: operations that could trap have
// harmless operands.

#ifndef NPU_LIB_ANALYSIS_PADDING_PADDEDBODY_H
#define NPU_LIB_ANALYSIS_PADDING_PADDEDBODY_H

#include "../Body/BodyEvaluator.h"
#include "../Positions/PositionFacts.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"

namespace npu {

/// The question that compares two positions of `paddedLoop`: one in padding on
/// the left, and any real one on the right. The other loops are at the same
/// real positions on both sides.
class PaddedBody final : BodyQuestion {
public:
  PaddedBody(const PaddingAnalysis &analysis, mlir::linalg::LinalgOp op,
             const PaddingState &loops, unsigned paddedLoop);

  PairFact valueOf(mlir::Value value) { return evaluator.valueOf(value); }
  PairFact yielded(unsigned number) { return evaluator.yielded(number); }
  /// Whether the loop has a real entry at every legal prompt length.
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

/// The fact of an entry of padding (left) and any real entry of its row
/// (right).
PairFact toPairFact(const PaddingContent &content, mlir::Type type);
/// The content of padding that a fact says, as far as PaddingContent can
/// express it.
PaddingContent toContent(const PairFact &fact);

} // namespace npu

#endif // NPU_LIB_ANALYSIS_PADDING_PADDEDBODY_H
