// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Prepare/PrepareEntry.h"

#include "DynamicLength.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace npu {

LogicalResult inlineCalls(ModuleOp module) {
  // Upstream does not inline an affine.apply into loops and branches. Folding
  // is off, because upstream folds a tensor.pad that cuts off as many entries
  // in front as it adds after to its source.
  RewritePatternSet patterns(module.getContext());
  populateAffineToStdConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<affine::AffineDialect>();
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(
          applyPartialConversion(module, target, std::move(patterns), config)))
    return failure();
  PassManager passes(module.getContext());
  // Do not canonicalize callees, because that does not keep layouts.
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  return passes.run(module);
}

bool hasTosa(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult lowerModel(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createLowerModel());
  return passes.run(module);
}

/// Warns where one length becomes the extent of dimensions that the model gives
/// several names.
static void warnOfNames(func::FuncOp function) {
  llvm::SmallSetVector<StringRef, 2> names;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (StringRef name = nameOfDimension(function, number, dim);
            tensor.isDynamicDim(dim) && !name.empty())
          names.insert(name);
  if (names.size() < 2)
    return;
  InFlightDiagnostic warning = mlir::emitWarning(function.getLoc());
  warning << "the length is the extent of dimensions of " << names.size()
          << " names alike: ";
  llvm::interleaveComma(names, warning,
                        [&](StringRef name) { warning << "'" << name << "'"; });
}

FailureOr<func::FuncOp> prepareEntry(ModuleOp module, StringRef entry,
                                     ArrayRef<int64_t> lengths,
                                     bool &takesLength,
                                     PromptDimensions *dimensions) {
  FailureOr<func::FuncOp> function = findEntry(module, entry);
  if (failed(function) || failed(keepReachable(module, *function)) ||
      failed(checkTensorSizes(module)) || failed(checkConstants(module)))
    return failure();
  takesLength = hasDynamicLength(*function);
  if (!takesLength)
    return function;
  // How large the results of TOSA are is not known from the length alone, while
  // upstream says it of what TOSA is lowered to.
  if (hasTosa(module)) {
    if (failed(lowerModel(module)))
      return failure();
    function = findEntry(module, entry);
    if (failed(function))
      return failure();
  }
  if (lengths.empty())
    return function->emitError()
           << "expected a length for the dynamic dimensions of '" << entry
           << "' (--length=N or --length=N..M)";
  warnOfNames(*function);
  if (failed(inlineCalls(module)))
    return failure();
  if (failed(takeLength(*function, lengths, dimensions)) ||
      failed(checkLengths(*function, lengths)))
    return failure();
  return function;
}

} // namespace npu
