// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-tosa-control-flow: branches, loops and scatters of TOSA as loops.

#include "npu/Conversion/Tosa/Passes.h"

#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERTOSACONTROLFLOW
#include "npu/Conversion/Tosa/Passes.h.inc"

namespace {

struct LowerTosaControlFlowPass
    : impl::LowerTosaControlFlowBase<LowerTosaControlFlowPass> {
  using LowerTosaControlFlowBase::LowerTosaControlFlowBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    createTosaToSCFPass()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    tosa::populateTosaToSCFConversionPatterns(&patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // That it converges is not asked: an operation that no pattern lowers stays,
    // and whoever comes next says so.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
} // namespace npu
