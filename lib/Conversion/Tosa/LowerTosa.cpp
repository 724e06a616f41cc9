// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-tosa: the last four of upstream's passes from TOSA in one, because
// each of them by itself walks over all layers of a model.

#include "FloatExtremes.h"
#include "StaticPads.h"
#include "npu/Conversion/Tosa/Passes.h"
#include "npu/Conversion/Tosa/Pipeline.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_LOWERTOSA
#include "npu/Conversion/Tosa/Passes.h.inc"

namespace {

struct LowerTosaPass : impl::LowerTosaBase<LowerTosaPass> {
  using LowerTosaBase::LowerTosaBase;

  /// Upstream's patterns make what upstream's passes say that they make.
  void getDependentDialects(DialectRegistry &registry) const override {
    tosa::createTosaToLinalgNamed()->getDependentDialects(registry);
    tosa::createTosaToLinalg()->getDependentDialects(registry);
    createTosaToArithPass()->getDependentDialects(registry);
    createTosaToTensorPass()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TypeConverter types;
    tosa::populateTosaTypeConversion(types);
    RewritePatternSet patterns(context);
    populateFloatExtremes(patterns);
    tosa::populateTosaToLinalgNamedConversionPatterns(types, &patterns, {});
    tosa::populateTosaToLinalgConversionPatterns(types, &patterns);
    tosa::populateTosaToArithConversionPatterns(&patterns);
    tosa::populateTosaRescaleToArithConversionPatterns(&patterns,
                                                       /*include32Bit=*/false);
    tosa::populateTosaToTensorConversionPatterns(types, &patterns);
    // TOSA itself is neither legal nor illegal: what no pattern knows stays,
    // and whoever comes next says so.
    ConversionTarget target(*context);
    for (Dialect *dialect : context->getLoadedDialects())
      if (!isa<tosa::TosaDialect>(dialect))
        target.addLegalDialect(dialect->getNamespace());
    // A pattern that makes a shape, as that of tosa.tile, applies only where
    // the shape may stay; simplification takes it away.
    target.addLegalOp<tosa::ConstShapeOp>();
    target.addDynamicallyLegalDialect<tosa::TosaDialect>(
        [](Operation *op) -> std::optional<bool> {
          return hasNoLowering(op) ? std::optional(true) : std::nullopt;
        });
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      return signalPassFailure();
    makePadsStatic(getOperation());
  }
};

} // namespace
} // namespace npu
