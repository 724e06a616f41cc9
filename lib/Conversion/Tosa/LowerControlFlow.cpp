// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-tosa-control-flow: branches and loops of TOSA as those of scf, and
// scatters as npu.scatter.

#include "npu/Conversion/Tosa/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

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

/// A scatter of static shape writes a row for each of N times W positions; of
/// dynamic shape, upstream makes loops of it, which padding knows.
struct ScatterToPositions : OpRewritePattern<tosa::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && !tensor.getEncoding();
    };
    if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
        !isStatic(op.getType()))
      return failure();
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    auto tuples =
        RankedTensorType::get({indices.getDimSize(0), indices.getDimSize(1), 1},
                              indices.getElementType());
    Value at = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(), tuples, op.getIndices(),
        ArrayRef<ReassociationIndices>{{0}, {1, 2}});
    rewriter.replaceOpWithNewOp<ScatterOp>(op, op.getType(), op.getInput(),
                                           op.getValuesIn(), at,
                                           /*batch_dims=*/uint64_t(1),
                                           /*origin=*/nullptr,
                                           /*whole=*/nullptr);
    return success();
  }
};

struct LowerTosaControlFlowPass
    : impl::LowerTosaControlFlowBase<LowerTosaControlFlowPass> {
  using LowerTosaControlFlowBase::LowerTosaControlFlowBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    createTosaToSCFPass()->getDependentDialects(registry);
    registry.insert<NPUDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    tosa::populateTosaToSCFConversionPatterns(&patterns);
    patterns.add<ScatterToPositions>(&getContext(), /*benefit=*/2);
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // That it converges is not asked: an operation that no pattern lowers
    // stays, and whoever comes next says so.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};

} // namespace
} // namespace npu
