// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline npu-compile: which passes a phase consists of, and which phases
// run.

#include "npu/Conversion/Compile/Pipeline.h"

#include "npu/Conversion/Compile/Passes.h"
#include "npu/Conversion/Compile/Phases.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/TensorsToBuffers.h"
#include "npu/Conversion/Threads/Passes.h"
#include "npu/Conversion/ToLLVM/Pipelines.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace npu {
namespace {

using ErrorHandler = llvm::function_ref<LogicalResult(const Twine &)>;

struct CompileOptions : PassPipelineOptions<CompileOptions> {
  Option<std::string> from{
      *this, "compile-from",
      llvm::cl::desc("the phase that has written the file; the next one is the "
                     "first to run (start: none has)"),
      llvm::cl::init("start")};
  Option<std::string> to{*this, "compile-to",
                         llvm::cl::desc("the last phase that runs"),
                         llvm::cl::init("scratchpad")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("the device, instead of the module's own")};
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc("the function to compile, with what it calls; without it "
                     "all, or the only one in a program around a model")};
  Option<std::string> policy{
      *this, "policy",
      llvm::cl::desc("accuracy or performance: in which types distances, "
                     "variances and softmax of a risky form are computed")};
  Option<std::string> overrides{
      *this, "precision-overrides",
      llvm::cl::desc("file that names operations by location, and the types "
                     "that they store, accumulate and compute in")};
  Option<std::string> distances{
      *this, "distances",
      llvm::cl::desc("under policy=accuracy: norms or direct"),
      llvm::cl::init("norms")};
  ListOption<int64_t> maxPromptLen{
      *this, "max-prompt-len",
      llvm::cl::desc("pad prompt dimensions to this length, or to the smallest "
                     "of several that fits")};
  Option<std::string> side{
      *this, "side",
      llvm::cl::desc("where padding goes: right (real part first) or left"),
      llvm::cl::init("right")};
  Option<bool> staticSignature{
      *this, "static-signature",
      llvm::cl::desc(
          "callers give and take padded tensors, and give the length"),
      llvm::cl::init(false)};
  Option<bool> poison{
      *this, "poison",
      llvm::cl::desc("fill padding with NaN (integers: 0xAB bytes), for tests"),
      llvm::cl::init(false)};
  Option<std::string> strategy{
      *this, "strategy",
      llvm::cl::desc("how npu-assign-distributions chooses layouts")};
  Option<int64_t> tiles{
      *this, "tiles",
      llvm::cl::desc("number of tiles; 0: as many as the target uses"),
      llvm::cl::init(0)};
  Option<std::string> report{
      *this, "report",
      llvm::cl::desc("file for the report of npu-assign-distributions")};
  Option<bool> splitReductions{
      *this, "split-reductions",
      llvm::cl::desc("let tiles reduce the parts they hold, where that moves "
                     "fewer bytes; false keeps every sum in its order; true, "
                     "if it is written, is for npu-assign-distributions, too"),
      llvm::cl::init(true)};
  Option<std::string> gather{
      *this, "gather",
      llvm::cl::desc("what to say where an operation is done on gathered data: "
                     "warn, error or allow"),
      llvm::cl::init("warn")};
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("tiles run at the same time (llvm)"),
                        llvm::cl::init(false)};
};

std::optional<GatherPolicy> readGather(StringRef text) {
  return llvm::StringSwitch<std::optional<GatherPolicy>>(text)
      .Case("warn", GatherPolicy::Warn)
      .Case("error", GatherPolicy::Error)
      .Case("allow", GatherPolicy::Allow)
      .Default(std::nullopt);
}

/// The options, read.
struct Compilation {
  const CompileOptions &options;
  CompilePhase from;
  CompilePhase to;
  GatherPolicy gather;
};

FailureOr<Compilation> readOptions(const CompileOptions &options,
                                   ErrorHandler fail) {
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
  return Compilation{options, *from, *to, *gather};
}

/// Adds the pass that gives layouts, with the options that users gave: without
/// them, its own defaults hold.
LogicalResult addAssignment(OpPassManager &passes,
                            const CompileOptions &options, ErrorHandler fail) {
  std::string text;
  auto add = [&](StringRef name, StringRef value) {
    if (!value.empty())
      text += (text.empty() ? "" : " ") + (name + "=" + value).str();
  };
  add("target", options.target);
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
    passes.addPass(createSetPrecision(
        {options.policy, options.overrides, options.distances}));
    return success();
  case CompilePhase::Padded:
    addPadding(passes, options);
    return success();
  case CompilePhase::Assigned:
    return addAssignment(passes, options, fail);
  case CompilePhase::Streamed:
    // Nothing runs in steps yet.
    return success();
  case CompilePhase::Legal: {
    LegalizeDistributionsOptions legal;
    legal.splitReductions = options.splitReductions;
    legal.gather = compilation.gather;
    passes.addPass(createLegalizeDistributions(legal));
    return success();
  }
  case CompilePhase::Tiles:
    passes.addPass(createLowerToTiles({compilation.gather}));
    return success();
  case CompilePhase::Scratchpad: {
    PlanScratchpadOptions plan;
    plan.target = options.target;
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
                 const Compilation &compilation) {
  VerifyPhaseOptions options;
  options.phase = nameOfPhase(phase).str();
  options.target = compilation.options.target;
  options.gather = compilation.gather;
  passes.addPass(createVerifyPhase(options));
}

LogicalResult buildCompile(OpPassManager &passes, StringRef text,
                           ErrorHandler fail) {
  CompileOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  FailureOr<Compilation> compilation = readOptions(options, fail);
  if (failed(compilation))
    return failure();
  addVerifier(passes, compilation->from, *compilation);
  for (CompilePhase phase : compilePhases()) {
    if (phase <= compilation->from || phase > compilation->to)
      continue;
    if (failed(addPhase(passes, phase, *compilation, fail)))
      return failure();
    addVerifier(passes, phase, *compilation);
  }
  return success();
}

} // namespace

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
