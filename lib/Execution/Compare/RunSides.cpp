// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunSides.h"

#include "ArgumentRoles.h"
#include "DynamicLength.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Execution/Host/Npy.h"
#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/WithColor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {

LogicalResult inlineCalls(ModuleOp module) {
  // Upstream does not inline an affine.apply into loops and branches. Folding
  // is off, because upstream folds a tensor.pad that cuts off as many entries
  // in front as it adds behind to its source.
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

namespace {

/// Prepares the entry of a module: the only function, with static shapes for
/// every prompt length.
FailureOr<func::FuncOp> prepareEntry(ModuleOp module, StringRef entry,
                                     const RunOptions &options,
                                     bool &takesLength) {
  FailureOr<func::FuncOp> function = findEntry(module, entry);
  if (failed(function) || failed(keepReachable(module, *function)) ||
      failed(checkConstants(module)))
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
  if (options.lengths.empty())
    return function->emitError()
           << "expected a length for the dynamic dimensions of '" << entry
           << "' (--length=N or --length=N..M)";
  if (failed(inlineCalls(module)))
    return failure();
  if (failed(takeLength(*function, options.lengths)) ||
      failed(checkLengths(*function, options.lengths)))
    return failure();
  return function;
}

/// Keeps a copy of a function on whole tensors, whose operations are the
/// user's.
Searched keepForSearch(ModuleOp module) {
  switch (phaseOf(module)) {
  case Phase::Buffers:
    return {nullptr, "the program is on buffers"};
  case Phase::TileProgram:
    return {nullptr, "the program is cut into tiles; --reference=ORIGINAL has "
                     "whole operations"};
  case Phase::Plain:
  case Phase::Layouts:
    return {module.clone(), ""};
  }
  return {};
}

FailureOr<Side> prepareSide(OwningOpRef<ModuleOp> module, bool asReference,
                            const RunOptions &options, Sides &sides,
                            bool &takesLength) {
  FailureOr<func::FuncOp> function =
      prepareEntry(*module, sides.entry, options, takesLength);
  if (failed(function))
    return failure();
  // The reference comes behind the function, and replaces what that has left.
  sides.searched = keepForSearch(*module);
  sides.roles = argumentRoles(*function);
  if (failed(asReference ? toReference(*module) : toExecutable(*module)))
    return failure();
  Side side;
  if (phaseOf(*module) == Phase::TileProgram)
    side.program = module->clone();
  auto compiled =
      asReference
          ? CompiledFunction::bufferize(std::move(module), sides.entry)
          : CompiledFunction::bufferize(std::move(module), sides.entry,
                                        options.threads, options.scratchpad);
  if (failed(compiled))
    return failure();
  side.function = std::move(*compiled);
  return side;
}

/// Makes the reductions of `reference` add up in the function's parts. A
/// function that was compiled from the reference has its reductions in the
/// order in which they stand behind the first phase of npu-compile: where the
/// reference's own are others, the phase runs on the reference, too.
FailureOr<Replay> replayIn(OwningOpRef<ModuleOp> &reference, Sides &sides) {
  OwningOpRef<ModuleOp> lowered = reference->clone();
  FailureOr<func::FuncOp> function = findEntry(*reference, sides.entry);
  if (failed(function))
    return failure();
  FailureOr<Replay> replay = replaySplitReductions(
      *reference, *function, sides.splits, sides.whyNoReplay);
  if (succeeded(replay))
    return replay;
  ScopedDiagnosticHandler quiet(lowered->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(lowerModel(*lowered)))
    return failure();
  function = findEntry(*lowered, sides.entry);
  std::string why;
  if (succeeded(function))
    replay = replaySplitReductions(*lowered, *function, sides.splits, why);
  if (succeeded(replay))
    reference = std::move(lowered);
  return replay;
}

/// Prepares the reference with the function's sums. It differs from the
/// reference in nothing else, and what is kept for a search stays.
LogicalResult prepareReplay(Sides &sides, OwningOpRef<ModuleOp> reference,
                            const RunOptions &options) {
  FailureOr<Replay> replay = replayIn(reference, sides);
  if (failed(replay))
    return success();
  sides.whyNoReplay.clear();
  bool takesLength = false;
  Searched searched = std::move(sides.searched);
  std::vector<InputRole> roles = std::move(sides.roles);
  auto side = prepareSide(std::move(reference), /*asReference=*/true, options,
                          sides, takesLength);
  sides.searched = std::move(searched);
  sides.roles = std::move(roles);
  if (failed(side))
    return failure();
  sides.replay = std::move(*side);
  sides.measured = std::move(replay->measured);
  return success();
}

LogicalResult checkSameSignature(const Side &side, const Side &reference) {
  auto &a = *side.function, &b = *reference.function;
  if (a.inputs() == b.inputs() && a.results() == b.results())
    return success();
  return failRun(fmt::format(
      "expected one signature on both sides, got {} -> {} and, in the "
      "reference, {} -> {}",
      toString(a.inputs()), toString(a.results()), toString(b.inputs()),
      toString(b.results())));
}

LogicalResult run(Side &side, const std::vector<HostTensor> &inputs) {
  auto results = side.function->run(inputs);
  if (failed(results))
    return failure();
  side.results = std::move(*results);
  side.milliseconds =
      std::min(side.milliseconds, side.function->milliseconds());
  return success();
}

} // namespace

LogicalResult failRun(const std::string &message) {
  llvm::WithColor::error(llvm::errs(), "npu-run") << message << "\n";
  return failure();
}

std::string toString(const std::vector<TensorSpec> &specs) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const TensorSpec &spec : specs)
    names.push_back(toString(spec));
  return fmt::format("({})", fmt::join(names, ", "));
}

FailureOr<Sides> prepareSides(OwningOpRef<ModuleOp> module,
                              OwningOpRef<ModuleOp> reference,
                              const RunOptions &options) {
  Sides sides;
  FailureOr<func::FuncOp> function = options.entry.empty()
                                         ? mainFunctionOf(*module)
                                         : findEntry(*module, options.entry);
  if (failed(function))
    return failure();
  sides.entry = function->getName().str();
  OwningOpRef<ModuleOp> forReplay;
  if (reference) {
    if (failed(keepReachable(*module, *function)))
      return failure();
    sides.splits = splitReductionsIn(*module);
    // Reductions that are split on both sides are added up in the same order.
    if (!splitReductionsIn(*reference).empty())
      sides.splits.clear();
    if (!sides.splits.empty())
      forReplay = reference->clone();
  }
  auto own = prepareSide(std::move(module), /*asReference=*/false, options,
                         sides, sides.takesLength);
  if (failed(own))
    return failure();
  sides.own = std::move(*own);
  if (!sides.takesLength && !options.lengths.empty())
    return failRun(fmt::format("--length: expected a function with dynamic "
                               "dimensions, got '{}' of {}",
                               sides.entry,
                               toString(sides.own.function->inputs())));
  if (!reference)
    return sides;
  bool takesLength = false;
  auto other = prepareSide(std::move(reference), /*asReference=*/true, options,
                           sides, takesLength);
  if (failed(other) || failed(checkSameSignature(sides.own, *other)))
    return failure();
  sides.reference = std::move(*other);
  if (forReplay && failed(prepareReplay(sides, std::move(forReplay), options)))
    return failure();
  return sides;
}

LogicalResult compileSides(Sides &sides, const RunOptions &options) {
  ByteSum needed;
  for (const TensorSpec &spec : sides.own.function->inputs())
    needed.add(spec.bytes());
  for (Side *side : {&sides.own, &sides.reference, &sides.replay})
    if (*side)
      side->function->addMemory(needed);
  if (Check error = checkMemory(needed))
    return failRun(error->message);
  sides.optLevel = options.optLevel.value_or(2);
  if (!options.optLevel) {
    int64_t operations = 0;
    for (Side *side : {&sides.own, &sides.reference, &sides.replay})
      if (*side)
        operations = std::max(operations, side->function->operations());
    sides.optLevel = levelForSize(operations);
    sides.chosen = fmt::format("-O{} for a program of {} operations",
                               sides.optLevel, operations);
  }
  for (Side *side : {&sides.own, &sides.reference, &sides.replay})
    if (*side && failed(side->function->compile(sides.optLevel)))
      return failure();
  return success();
}

FailureOr<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs,
           const std::vector<InputRole> &roles, const RunOptions &options) {
  std::vector<HostTensor> inputs;
  if (!options.inputFiles.empty() && options.inputFiles.size() != specs.size())
    return failRun(
        fmt::format("--inputs: expected {} files, one for each argument "
                    "of {}, got {}",
                    specs.size(), toString(specs), options.inputFiles.size()));
  for (size_t i = 0; i < specs.size(); ++i) {
    if (options.inputFiles.empty()) {
      inputs.push_back(
          generateInput(specs[i], options.inputs, options.seed, i,
                        i < roles.size() ? roles[i] : InputRole()));
      continue;
    }
    Result<HostTensor> input = readNpy(options.inputFiles[i], specs[i]);
    if (!input)
      return failRun(fmt::format("argument #{}: {}", i, input.error()));
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

FailureOr<std::vector<HostTensor>>
makeInputs(const Sides &sides, const RunOptions &options, int64_t length) {
  std::vector<TensorSpec> specs = sides.own.function->inputs();
  if (sides.takesLength)
    specs.pop_back();
  auto inputs = makeInputs(specs, sides.roles, options);
  if (succeeded(inputs) && sides.takesLength) {
    inputs->emplace_back(sides.own.function->inputs().back());
    setBitsAt(inputs->back(), 0, static_cast<uint64_t>(length));
  }
  return inputs;
}

LogicalResult runSides(Sides &sides, const std::vector<HostTensor> &inputs,
                       unsigned repeat) {
  if (std::string said = std::exchange(sides.chosen, ""); !said.empty())
    llvm::WithColor::note(llvm::errs(), "npu-run") << said << "\n";
  for (unsigned i = 0; i < repeat; ++i)
    if (failed(run(sides.own, inputs)) ||
        (sides.reference && failed(run(sides.reference, inputs))))
      return failure();
  if (sides.replay)
    return run(sides.replay, inputs);
  return success();
}

} // namespace npu
