// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a structured operation's region computes where one loop stands in
// padding and all others on real entries: constants, as far as they follow from
// what padding contains and from comparisons of positions (a causal mask).

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

  /// The constant that `value` of the region is; null where none is known.
  mlir::TypedAttr valueOf(mlir::Value value);
  mlir::TypedAttr yielded(unsigned number);

private:
  mlir::TypedAttr argument(mlir::BlockArgument argument);
  mlir::AffineExpr positionOf(mlir::Value value);
  mlir::TypedAttr compare(mlir::arith::CmpIOp op);
  /// Where the loops stand.
  PositionFacts positions();

  const PaddingAnalysis &analysis;
  mlir::linalg::LinalgOp op;
  const PaddingState &loops;
  unsigned paddedLoop;
  llvm::DenseMap<mlir::Value, mlir::TypedAttr> known;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_PADDEDBODY_H
