// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Compare/RunSides.h"

#include "npu/Artefact/CacheCapacity.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Execution/Jit/NoteExecutions.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Prepare/ArgumentRoles.h"
#include "npu/Execution/Prepare/PrepareEntry.h"
#include "npu/Host/Npy.h"
#include "npu/Support/OnePiece.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {

namespace {

/// Keeps a copy of a function on whole tensors, whose operations are the
/// user's.
Searched keepForSearch(ModuleOp module) {
  switch (phaseOf(module)) {
  case CompilePhase::Scratchpad:
    return {nullptr, "the program is on buffers"};
  case CompilePhase::Tiles:
    return {nullptr, "the program is cut into tiles; --reference=ORIGINAL has "
                     "whole operations"};
  default:
    return {module.clone(), ""};
  }
}

/// Makes the placement report, where there is a use for it, and writes its rows
/// into locations, so that executions are known by them.
LogicalResult placeOperations(ModuleOp module, Side &side,
                              const RunOptions &options, const Sides &sides) {
  if (!options.onNpu && options.placementReport.empty())
    return success();
  side.placement = deviceTableOf(module, sides.entry);
  if (options.onNpu && failed(verifyOnNpu(side.placement)))
    return failure();
  if (options.placementReport.empty())
    return success();
  writeRowsIntoLocations(module, side.placement);
  side.record = std::make_unique<ExecutionRecord>();
  return success();
}

/// Verifies a tile program, which anybody may have edited; what legalization
/// and lowering have made of a function is verified there.
LogicalResult verifyIfTiles(ModuleOp module) {
  if (phaseOf(module) != CompilePhase::Tiles)
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createVerifyTileProgram());
  return passes.run(module);
}

/// Lowers the function that runs on tiles; on one of several ranks, after all
/// of them have found that they have the same program.
FailureOr<std::unique_ptr<CompiledFunction>>
bufferizeOwn(OwningOpRef<ModuleOp> module, StringRef entry,
             const RunOptions &options) {
  ScratchpadOptions scratchpad = options.scratchpad;
  if (!options.ranks)
    return CompiledFunction::bufferize(std::move(module), entry,
                                       options.threads, scratchpad);
  scratchpad.whenPlanned = [&](ModuleOp program) {
    return options.ranks->agreeOnProgram(program);
  };
  return CompiledFunction::bufferize(
      std::move(module), entry, options.threads, scratchpad,
      {options.ranks->rank(), options.ranks->count()});
}

FailureOr<Side> prepareSide(OwningOpRef<ModuleOp> module, bool asReference,
                            const RunOptions &options, Sides &sides,
                            bool &takesLength) {
  PromptDimensions prompts;
  FailureOr<func::FuncOp> function = prepareEntry(
      *module, sides.entry, options.lengths, takesLength, &prompts);
  if (failed(function))
    return failure();
  if (options.verifiesTileProgram && failed(verifyIfTiles(*module)))
    return failure();
  // The reference comes after the function, and replaces what that has left.
  sides.searched = keepForSearch(*module);
  sides.roles = argumentRoles(*function);
  if (failed(asReference ? toReference(*module) : toExecutable(*module)))
    return failure();
  Side side;
  if (phaseOf(*module) == CompilePhase::Tiles)
    side.program = module->clone();
  if (!asReference && failed(placeOperations(*module, side, options, sides)))
    return failure();
  auto compiled =
      asReference ? CompiledFunction::bufferize(std::move(module), sides.entry)
                  : bufferizeOwn(std::move(module), sides.entry, options);
  if (failed(compiled))
    return failure();
  (*compiled)->setPrompts(std::move(prompts));
  if (side.record)
    (*compiled)->noteExecutions(*side.record);
  side.function = std::move(*compiled);
  return side;
}

/// Makes the reductions of `reference` add up in the function's parts. A
/// function that was compiled from the reference has its reductions in the
/// order in which they stand after the first phase of npu-compile: where the
/// reference's own are others, the phase runs on the reference, too. The error
/// is that of the reference as it was.
Result<Replay> replayIn(OwningOpRef<ModuleOp> &reference, Sides &sides) {
  OwningOpRef<ModuleOp> lowered = reference->clone();
  FailureOr<func::FuncOp> function = findEntry(*reference, sides.entry);
  if (failed(function))
    return Error();
  Result<Replay> replay =
      replaySplitReductions(*reference, *function, sides.splits);
  if (replay)
    return replay;
  ScopedDiagnosticHandler quiet(lowered->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(lowerModel(*lowered)))
    return replay;
  function = findEntry(*lowered, sides.entry);
  if (failed(function))
    return replay;
  Result<Replay> ofLowered =
      replaySplitReductions(*lowered, *function, sides.splits);
  if (!ofLowered)
    return replay;
  reference = std::move(lowered);
  return ofLowered;
}

/// Prepares the reference with the function's sums. It differs from the
/// reference in nothing else, and what is kept for a search stays.
LogicalResult prepareReplay(Sides &sides, OwningOpRef<ModuleOp> reference,
                            const RunOptions &options) {
  Result<Replay> replay = replayIn(reference, sides);
  if (!replay) {
    sides.whyNoReplay = replay.error().message;
    return success();
  }
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

/// The specs of results, with 0 for each extent that another run may change.
std::vector<TensorSpec> resultsOfEveryRun(const RunnableFunction &function) {
  std::vector<TensorSpec> specs = function.results();
  for (const PromptDimension &each : function.prompts().results)
    specs[each.tensor].shape[each.dimension] = 0;
  return specs;
}

LogicalResult checkSameSignature(const Side &side, const Side &reference) {
  auto &a = *side.function, &b = *reference.function;
  if (a.inputs() == b.inputs() && resultsOfEveryRun(a) == resultsOfEveryRun(b))
    return success();
  return failRun(fmt::format(
      "expected one signature on both sides, got {} -> {} and, in the "
      "reference, {} -> {}",
      toString(a.inputs()), toString(a.results()), toString(b.inputs()),
      toString(b.results())));
}

LogicalResult runOnce(Side &side, const std::vector<HostTensor> &inputs) {
  auto results = side.function->run(inputs);
  if (failed(results))
    return failure();
  side.results = std::move(*results);
  ++side.runs;
  side.milliseconds =
      std::min(side.milliseconds, side.function->milliseconds());
  return success();
}

} // namespace

LogicalResult failRun(const std::string &message) {
  OnePiece piece;
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

LogicalResult addReference(Sides &sides, OwningOpRef<ModuleOp> reference,
                           const RunOptions &options) {
  // Reductions that are split on both sides are added up in the same order.
  if (!splitReductionsIn(*reference).empty())
    sides.splits.clear();
  OwningOpRef<ModuleOp> forReplay;
  if (!sides.splits.empty())
    forReplay = reference->clone();
  bool takesLength = false;
  auto other = prepareSide(std::move(reference), /*asReference=*/true, options,
                           sides, takesLength);
  if (failed(other) || failed(checkSameSignature(sides.own, *other)))
    return failure();
  sides.reference = std::move(*other);
  if (!forReplay)
    return success();
  return prepareReplay(sides, std::move(forReplay), options);
}

/// Takes from a reference what generated inputs depend on. Only the first of
/// several ranks runs it.
static LogicalResult takeRoles(Sides &sides, OwningOpRef<ModuleOp> reference,
                               const RunOptions &options) {
  bool takesLength = false;
  FailureOr<func::FuncOp> function =
      prepareEntry(*reference, sides.entry, options.lengths, takesLength);
  if (failed(function))
    return failure();
  sides.roles = argumentRoles(*function);
  return success();
}

FailureOr<Sides> prepareSides(OwningOpRef<ModuleOp> module,
                              OwningOpRef<ModuleOp> reference,
                              const RunOptions &options) {
  Sides sides;
  FailureOr<func::FuncOp> function = takeEntry(*module, options.entry);
  if (failed(function))
    return failure();
  sides.entry = function->getName().str();
  sides.loc = function->getLoc();
  if ((reference || options.ranks) && failed(keepReachable(*module, *function)))
    return failure();
  if (reference)
    sides.splits = splitReductionsIn(*module);
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
  bool compares = !options.ranks || options.ranks->isFirst();
  if (failed(compares ? addReference(sides, std::move(reference), options)
                      : takeRoles(sides, std::move(reference), options)))
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
  if (Result<> error = checkMemory(needed); !error) {
    if (sides.loc)
      return mlir::emitError(*sides.loc) << error.error().message;
    return failRun(error.error().message);
  }
  sides.optLevel = options.optLevel.value_or(defaultOptLevel);
  for (Side *side : {&sides.own, &sides.reference, &sides.replay})
    if (*side && failed(side->function->compile(sides.optLevel)))
      return failure();
  return success();
}

/// Refuses a prompt that begins or ends outside of an artefact's caches.
static LogicalResult checkCaches(const Sides &sides,
                                 const std::vector<HostTensor> &inputs,
                                 int64_t length) {
  for (const ArtefactCache &cache : sides.caches) {
    if (!cache.offsetInput)
      continue;
    constexpr double farAway = 1e15;
    auto offset = static_cast<int64_t>(
        std::clamp(valueAt(inputs[*cache.offsetInput], 0), -farAway, farAway));
    int64_t rows = sides.takesLength ? length : cache.rows;
    if (!fitsCache(offset, std::max<int64_t>(rows, 1), cache.capacity))
      return failRun(fmt::format(
          "input #{}: expected a prompt within the {} positions of the cache "
          "that is input #{}, got {} rows from position {} on",
          *cache.offsetInput, cache.capacity, cache.input, rows, offset));
  }
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
      return failRun(fmt::format("argument #{}: {}", i, input.error().message));
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

FailureOr<std::vector<HostTensor>> makeInputs(const Sides &sides,
                                              const RunOptions &options,
                                              const LengthsOfRun &run) {
  std::vector<TensorSpec> specs = sides.own.function->inputs();
  if (sides.takesLength)
    specs.resize(specs.size() - run.size());
  int64_t length = run.empty() ? 0 : run.front();
  std::vector<TensorSpec> whole = specs;
  for (const PromptDimension &each : sides.own.function->prompts().inputs)
    specs[each.tensor].shape[each.dimension] = run[each.number];
  auto inputs = makeInputs(specs, sides.roles, options);
  // What there is memory for and the prompt does not have is poison.
  for (size_t i = 0; succeeded(inputs) && i < whole.size(); ++i)
    if (whole[i] != specs[i]) {
      HostTensor padded(whole[i]);
      copyCommon((*inputs)[i], padded);
      (*inputs)[i] = std::move(padded);
    }
  if (succeeded(inputs) && sides.takesLength) {
    for (int64_t each : run) {
      inputs->emplace_back(sides.own.function->inputs().back());
      setBitsAt(inputs->back(), 0, static_cast<uint64_t>(each));
    }
  }
  if (failed(inputs) || failed(checkCaches(sides, *inputs, length)))
    return failure();
  if (options.ranks)
    if (Result<> agreed = options.ranks->agreeOnInputs(*inputs); !agreed)
      return failRun(agreed.error().message);
  return inputs;
}

LogicalResult runSides(Sides &sides, const std::vector<HostTensor> &inputs,
                       unsigned repeat) {
  for (unsigned i = 0; i < repeat; ++i)
    if (failed(runOnce(sides.own, inputs)) ||
        (sides.reference && failed(runOnce(sides.reference, inputs))))
      return failure();
  if (sides.replay)
    return runOnce(sides.replay, inputs);
  return success();
}

} // namespace npu
