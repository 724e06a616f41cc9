// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline npu-compile: which passes a phase consists of, and which phases
// run.

#include "npu/Conversion/Compile/Pipeline.h"

#include "CompileOptions.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Compile/Passes.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/TensorsToBuffers.h"
#include "npu/Conversion/StripLayouts/Passes.h"
#include "npu/Conversion/Threads/Passes.h"
#include "npu/Conversion/ToLLVM/Pipelines.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Preprocess/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace npu {
namespace {

std::optional<GatherPolicy> readGather(StringRef text) {
  return llvm::StringSwitch<std::optional<GatherPolicy>>(text)
      .Case("warn", GatherPolicy::Warn)
      .Case("error", GatherPolicy::Error)
      .Case("allow", GatherPolicy::Allow)
      .Default(std::nullopt);
}

} // namespace

FailureOr<Compilation> readOptions(const CompileOptions &options,
                                   ErrorHandler fail) {
  if (failed(verifyTargetOption(options.target.hasValue(), options.target,
                                [&](const llvm::Twine &message) {
                                  return fail("npu-compile: " + message);
                                })))
    return failure();
  std::optional<CompilePhase> from = findPhase(options.from);
  std::optional<CompilePhase> to = findPhase(options.to);
  if (!from)
    return fail("npu-compile: unknown phase compile-from=" + options.from +
                ", expected " + phaseNames(CompilePhase::Start));
  if (!to || *to == CompilePhase::Start)
    return fail("npu-compile: unknown phase compile-to=" + options.to +
                ", expected " + phaseNames());
  if (*from > *to)
    return fail("npu-compile: expected compile-to=" + options.from +
                " or a later phase behind compile-from=" + options.from +
                ", got compile-to=" + options.to +
                " (in order: " + phaseNames() + ")");
  std::optional<GatherPolicy> gather = readGather(options.gather);
  if (!gather)
    return fail("npu-compile: unknown gather=" + options.gather +
                ", expected warn, error or allow");
  if (options.asksForDevice() && options.gather.hasValue())
    return fail("npu-compile: expected no gather=" + options.gather +
                " beside a device, which says what may run on the CPU");
  if (!options.placementReport.empty() && *to < CompilePhase::Legal)
    return fail("npu-compile: expected compile-to=legal or a later phase for a "
                "placement report, got compile-to=" +
                options.to);
  return Compilation{options,       *from, *to, *gather, DeviceMode::AsWritten,
                     options.target};
}

namespace {

/// Adds the pass that gives layouts, with the options that users gave: without
/// them, its own defaults hold.
LogicalResult addAssignment(OpPassManager &passes,
                            const Compilation &compilation, ErrorHandler fail) {
  const CompileOptions &options = compilation.options;
  std::string text;
  auto add = [&](StringRef name, StringRef value) {
    if (!value.empty())
      text += (text.empty() ? "" : " ") + (name + "=" + value).str();
  };
  add("target", compilation.target);
  add("strategy", options.strategy);
  add("tiles", options.tiles == 0 ? "" : std::to_string(options.tiles));
  add("report", options.report);
  // Legalization splits sums unless it is told not to, the assignment only
  // where it is told to.
  if (options.splitReductions.hasValue() && options.splitReductions)
    add("split-reductions", "true");
  std::unique_ptr<Pass> pass = createAssignDistributions();
  if (failed(pass->initializeOptions(text, fail)))
    return failure();
  passes.addPass(std::move(pass));
  return success();
}

void addPadding(OpPassManager &passes, const CompileOptions &options) {
  PadPromptsOptions padding;
  padding.maxPromptLen.assign(options.maxPromptLen.begin(),
                              options.maxPromptLen.end());
  padding.side = options.side;
  padding.staticSignature = options.staticSignature;
  padding.poison = options.poison;
  passes.addPass(createPadPrompts(padding));
}

/// Adds what a phase does.
LogicalResult addPhase(OpPassManager &passes, CompilePhase phase,
                       const Compilation &compilation, ErrorHandler fail) {
  const CompileOptions &options = compilation.options;
  switch (phase) {
  case CompilePhase::Start:
    return success();
  case CompilePhase::Input:
    passes.addPass(createLowerModel({options.function}));
    passes.addPass(createSetPrecision({options.policy, options.overrides,
                                       options.distances, options.softmax}));
    return success();
  case CompilePhase::Padded:
    addPadding(passes, options);
    return success();
  case CompilePhase::Assigned:
    return compilation.mode == DeviceMode::Cpu
               ? success()
               : addAssignment(passes, compilation, fail);
  case CompilePhase::Streamed:
    // Nothing runs in steps yet.
    return success();
  case CompilePhase::Legal: {
    if (compilation.mode == DeviceMode::Cpu)
      return success();
    LegalizeDistributionsOptions legal;
    legal.splitReductions = options.splitReductions;
    legal.gather = compilation.gather;
    legal.quiet = true;
    passes.addPass(createLegalizeDistributions(legal));
    return success();
  }
  case CompilePhase::Tiles:
    passes.addPass(createLowerToTiles({compilation.gather}));
    return success();
  case CompilePhase::Scratchpad: {
    PlanScratchpadOptions plan;
    plan.target = compilation.target;
    buildTensorsToBuffers(passes, plan);
    return success();
  }
  case CompilePhase::Llvm:
    buildDeallocation(passes);
    if (options.parallel)
      passes.addPass(createRunTilesInParallel());
    buildBuffersToLLVM(passes,
                       options.parallel ? TileThreads::Many : TileThreads::One);
    return success();
  }
  return success();
}

void addVerifier(OpPassManager &passes, CompilePhase phase,
                 const Compilation &compilation, bool isFirst = false) {
  VerifyPhaseOptions options;
  options.phase = nameOfPhase(phase).str();
  options.target = compilation.target;
  options.gather = compilation.gather;
  options.ignoresDevice = isFirst && compilation.mode == DeviceMode::AsWritten;
  passes.addPass(createVerifyPhase(options));
}

/// Adds the placement report, where somebody asks for it or for the NPU alone.
void addPlacement(OpPassManager &passes, const Compilation &compilation) {
  const std::string &file = compilation.placementReport;
  bool onNpu = compilation.mode == DeviceMode::Npu;
  if (file.empty() && !onNpu)
    return;
  PrintPlacementOptions options;
  options.onNpu = onNpu;
  options.outputFile = file;
  options.format = StringRef(file).ends_with(".json") ? "json" : "text";
  passes.addPass(createPrintPlacement(options));
}

/// Whether operations are told their devices behind this phase: where they are
/// in tiles, or, where no phase makes that, as late as possible.
bool isPlacedBehind(CompilePhase phase, const Compilation &compilation) {
  if (compilation.to < CompilePhase::Tiles)
    return phase == compilation.to && phase == CompilePhase::Legal;
  return phase == std::max(compilation.from, CompilePhase::Tiles) &&
         phase != CompilePhase::Llvm;
}

} // namespace

LogicalResult buildPhases(OpPassManager &passes, const Compilation &compilation,
                          ErrorHandler fail) {
  addVerifier(passes, compilation.from, compilation, /*isFirst=*/true);
  if (compilation.mode == DeviceMode::Cpu)
    passes.addPass(createStripLayouts());
  if (isPlacedBehind(compilation.from, compilation))
    addPlacement(passes, compilation);
  for (CompilePhase phase : compilePhases()) {
    if (phase <= compilation.from || phase > compilation.to)
      continue;
    if (failed(addPhase(passes, phase, compilation, fail)))
      return failure();
    addVerifier(passes, phase, compilation);
    if (isPlacedBehind(phase, compilation))
      addPlacement(passes, compilation);
  }
  return success();
}

static LogicalResult buildCompile(OpPassManager &passes, StringRef text,
                                  ErrorHandler fail) {
  CompileOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  FailureOr<Compilation> compilation = readOptions(options, fail);
  if (failed(compilation))
    return failure();
  if (!options.asksForDevice())
    return buildPhases(passes, *compilation, fail);
  passes.addPass(createCompileForDevice({text.str()}));
  return success();
}

void registerCompilePipeline() {
  registerPassPipeline(
      "npu-compile",
      "a model without layouts, in TOSA or linalg, to a program for every "
      "tile: input, padded, assigned, streamed, legal, tiles, scratchpad, llvm",
      buildCompile,
      [](llvm::function_ref<void(const detail::PassOptions &)> visit) {
        visit(CompileOptions());
      });
}

} // namespace npu
