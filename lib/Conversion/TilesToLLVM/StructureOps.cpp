// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-structure-ops: upstream's own rewrites, one operation at a time, so that
// what comes of an operation is known to be its tile's.

#include "npu/Conversion/LowerToTiles.h"
#include "npu/Conversion/TilesToLLVM/Passes.h"

#include "LowerGather.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_STRUCTUREOPS
#include "npu/Conversion/TilesToLLVM/Passes.h.inc"

namespace {

/// Gives every new operation the tile of the one that it comes from.
struct TileListener : RewriterBase::Listener {
  Attribute tile;

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    // Operations inside a structured one's region work on its elements.
    if (tile && !isa_and_nonnull<linalg::LinalgOp>(op->getParentOp()))
      op->setAttr(tileAttrName, tile);
  }
};

bool isElementwiseOnTensors(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// TOSA to linalg, arith and tensor, in the order that upstream documents.
void buildTosa(OpPassManager &passes) {
  passes.addPass(tosa::createTosaInferShapesPass());
  passes.addPass(tosa::createTosaMakeBroadcastablePass());
  passes.addPass(tosa::createTosaToLinalgNamed());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(tosa::createTosaToLinalg());
  passes.addPass(createTosaToArithPass());
  passes.addPass(createTosaToTensorPass());
  passes.addPass(createCanonicalizerPass());
}

struct StructureOpsPass : impl::StructureOpsBase<StructureOpsPass> {
  using StructureOpsBase::StructureOpsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    StructureOpsBase::getDependentDialects(registry);
    OpPassManager tosa(func::FuncOp::getOperationName());
    buildTosa(tosa);
    tosa.getDependentDialects(registry);
  }

  LogicalResult lowerTosa() {
    OpPassManager passes(func::FuncOp::getOperationName());
    buildTosa(passes);
    WalkResult walk = getOperation()->walk([&](func::FuncOp func) {
      bool any =
          func->walk([](Operation *op) {
                return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
      return any && failed(runPipeline(passes, func)) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
    });
    return success(!walk.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(lowerTosa()))
      return signalPassFailure();

    SmallVector<Operation *> elementwise;
    SmallVector<linalg::AggregatedOpInterface> aggregates;
    SmallVector<tensor::GatherOp> gathers;
    getOperation()->walk([&](Operation *op) {
      if (isElementwiseOnTensors(op))
        elementwise.push_back(op);
      else if (auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op))
        aggregates.push_back(aggregate);
      else if (auto gather = dyn_cast<tensor::GatherOp>(op))
        gathers.push_back(gather);
    });

    TileListener listener;
    IRRewriter rewriter(&getContext(), &listener);
    for (linalg::AggregatedOpInterface op : aggregates) {
      listener.tile = op->getAttr(tileAttrName);
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
      if (succeeded(values))
        rewriter.replaceOp(op, *values);
    }
    for (tensor::GatherOp op : gathers) {
      listener.tile = op->getAttr(tileAttrName);
      rewriter.setInsertionPoint(op);
      FailureOr<Value> value = lowerGather(rewriter, op);
      if (succeeded(value))
        rewriter.replaceOp(op, *value);
    }

    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    GreedyRewriteConfig config;
    config.setListener(&listener)
        .setStrictness(GreedyRewriteStrictness::ExistingOps)
        .enableFolding(false)
        .enableConstantCSE(false);
    for (Operation *op : elementwise) {
      listener.tile = op->getAttr(tileAttrName);
      (void)applyOpPatternsGreedily({op}, frozen, config);
    }
  }
};

} // namespace
} // namespace npu
