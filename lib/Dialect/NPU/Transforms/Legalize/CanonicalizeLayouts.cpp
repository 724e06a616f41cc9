// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-canonicalize: applies the folds and patterns of this dialect without
// upstream's, which are not safe once layouts differ.

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_CANONICALIZELAYOUTS
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h.inc"

namespace {

struct CanonicalizeLayoutsPass
    : impl::CanonicalizeLayoutsBase<CanonicalizeLayoutsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    PermuteCastOp::getCanonicalizationPatterns(patterns, context);
    DistributionCastOp::getCanonicalizationPatterns(patterns, context);
    RedistributeOp::getCanonicalizationPatterns(patterns, context);
    // The driver folds all operations that it is given: give it only those of
    // this dialect.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<NPUDialect>(op->getDialect()))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace npu
