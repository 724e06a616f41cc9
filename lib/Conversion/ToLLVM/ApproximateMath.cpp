// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-approximate-math: exp, log, tanh and erf of f32 as upstream's
// polynomials.

#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_APPROXIMATEMATH
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

bool isApproximated(StringRef name) {
  return name == math::ExpOp::getOperationName() ||
         name == math::LogOp::getOperationName() ||
         name == math::TanhOp::getOperationName() ||
         name == math::ErfOp::getOperationName();
}

/// Computes a function of shorter floats in f32, and rounds the result.
struct ComputeInF32 : RewritePattern {
  explicit ComputeInF32(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isApproximated(op->getName().getStringRef()))
      return failure();
    Type type = op->getResult(0).getType();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 32)
      return failure();
    Type wide = rewriter.getF32Type();
    if (auto shaped = dyn_cast<ShapedType>(type))
      wide = shaped.clone(wide);
    Location loc = op->getLoc();
    Value operand =
        arith::ExtFOp::create(rewriter, loc, wide, op->getOperand(0));
    Operation *computed =
        rewriter.create(loc, op->getName().getIdentifier(), operand, wide);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type,
                                                 computed->getResult(0));
    return success();
  }
};

struct ApproximateMathPass : impl::ApproximateMathBase<ApproximateMathPass> {
  using ApproximateMathBase::ApproximateMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ComputeInF32>(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, isApproximated);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
