// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a structured operation's region computes where one loop stands in
// padding and all others on real entries, as far as it follows from what
// padding contains and from comparisons of positions (a causal mask).

#ifndef NPU_LIB_ANALYSIS_PADDEDBODY_H
#define NPU_LIB_ANALYSIS_PADDEDBODY_H

#include "PositionFacts.h"
#include "npu/Analysis/PaddingAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace npu {

class PaddedBody {
public:
  PaddedBody(const PaddingAnalysis &analysis, mlir::linalg::LinalgOp op,
             const PaddingState &loops, unsigned paddedLoop);

  /// What `value` of the region is.
  PaddingContent valueOf(mlir::Value value);
  PaddingContent yielded(unsigned number);

private:
  PaddingContent compute(mlir::Value value);
  PaddingContent argument(mlir::BlockArgument argument);
  PaddingContent computedFrom(mlir::Operation *op,
                              llvm::ArrayRef<PaddingContent> operands);
  bool isLessThanLargest(mlir::arith::SubFOp op);
  mlir::AffineExpr positionOf(mlir::Value value);
  mlir::TypedAttr compare(mlir::arith::CmpIOp op);
  /// Where the loops stand.
  PositionFacts positions();

  const PaddingAnalysis &analysis;
  mlir::linalg::LinalgOp op;
  const PaddingState &loops;
  unsigned paddedLoop;
  llvm::DenseMap<mlir::Value, PaddingContent> known;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_PADDEDBODY_H
