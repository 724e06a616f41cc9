// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Prepare/PrepareEntry.h"

#include "DynamicLength.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Dialect/NPU/IR/DimensionNames.h"
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

/// "'a', 'b'"
static std::string quoted(ArrayRef<StringRef> names) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(names, stream,
                        [&](StringRef name) { stream << "'" << name << "'"; });
  return text;
}

/// Refuses lengths of names that the function does not have, and dynamic
/// dimensions without a length. Warns where one length becomes the extent of
/// dimensions that the model gives several names.
static LogicalResult checkNames(func::FuncOp function,
                                const PromptLengths &lengths) {
  llvm::SmallSetVector<StringRef, 2> all, others;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim) {
      if (!tensor.isDynamicDim(dim))
        continue;
      StringRef name = nameOfDimension(function, number, dim);
      if (!name.empty())
        all.insert(name);
      if (lengths.numberOf(function, number, dim) > 0)
        continue;
      if (!lengths.hasOthers)
        return mlir::emitError(function.getArgument(number).getLoc())
               << "expected a length for dimension " << dim << " of argument #"
               << number << ": "
               << (name.empty() ? "--length=N, because it has no name"
                                : ("--length=" + name +
                                   "=N, or --length=N "
                                   "for all other names")
                                      .str());
      if (!name.empty())
        others.insert(name);
    }
  }
  for (const std::string &name : lengths.names)
    if (!all.contains(name))
      return function.emitError()
             << "expected the name of a dynamic dimension, got --length="
             << name << "=N; "
             << (all.empty() ? "no dynamic dimension has a name"
                             : "there are " + quoted(all.getArrayRef()));
  if (others.size() > 1)
    mlir::emitWarning(function.getLoc())
        << "the length is the extent of dimensions of " << others.size()
        << " names alike: " << quoted(others.getArrayRef());
  return success();
}

FailureOr<func::FuncOp> prepareEntry(ModuleOp module, StringRef entry,
                                     const PromptLengths &lengths,
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
  if (failed(checkNames(*function, lengths)) || failed(inlineCalls(module)))
    return failure();
  if (failed(takeLength(*function, lengths, dimensions)) ||
      failed(checkLengths(*function, lengths)))
    return failure();
  return function;
}

} // namespace npu
