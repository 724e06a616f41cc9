// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline npu-compile: which passes a phase consists of, and which phases
// run.

#include "npu/Conversion/Compile/Pipeline.h"

#include "BuildPhases.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Conversion/Schedule/Passes.h"
#include "npu/Conversion/StripLayouts/Passes.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"
#include "npu/Preprocess/Fusion/Passes.h"
#include "npu/Preprocess/Kernels/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

#include <functional>

using namespace mlir;

namespace npu {
namespace {

std::optional<HostFallbackPolicy>
readHostFallbackPolicy(const std::optional<std::string> &text) {
  return llvm::StringSwitch<std::optional<HostFallbackPolicy>>(
             text.value_or("warn"))
      .Case("warn", HostFallbackPolicy::Warn)
      .Case("error", HostFallbackPolicy::Error)
      .Case("allow", HostFallbackPolicy::Allow)
      .Default(std::nullopt);
}

} // namespace

FailureOr<PhaseSettings> readSettings(const CompileOptions &options,
                                      ErrorHandler fail) {
  std::string target = options.target.value_or("");
  if (failed(verifyTargetOption(options.target.has_value(), target,
                                [&](const llvm::Twine &message) {
                                  return fail("npu-compile: " + message);
                                })))
    return failure();
  if (options.target && !options.targetFile.empty())
    return fail("npu-compile: expected either target=" + target +
                " or target-file=" + options.targetFile + ", got both");
  if (auto unread = findUnread(options, /*isCommandLine=*/false))
    return fail("npu-compile: " + *unread);
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
                " or a later phase after compile-from=" + options.from +
                ", got compile-to=" + options.to +
                " (in order: " + phaseNames() + ")");
  std::optional<HostFallbackPolicy> gather =
      readHostFallbackPolicy(options.gather);
  if (!gather)
    return fail("npu-compile: unknown gather=" + *options.gather +
                ", expected warn, error or allow");
  if (options.asksForDevice() && options.gather)
    return fail("npu-compile: expected no gather=" + *options.gather +
                " beside a device, which says what may run on the CPU");
  if (!options.placementReport.empty() && *to < CompilePhase::Legal)
    return fail("npu-compile: expected compile-to=legal or a later phase for a "
                "placement report, got compile-to=" +
                options.to);
  PhaseSettings settings;
  settings.options = options;
  settings.from = *from;
  settings.to = *to;
  settings.gather = *gather;
  settings.target = std::move(target);
  settings.placementReport = options.placementReport;
  return settings;
}

namespace {

AssignDistributionsOptions assignmentFor(const PhaseSettings &settings) {
  AssignDistributionsOptions assignment = settings.options.assignment;
  assignment.target = settings.target;
  // Legalization splits sums unless it is told not to, the assignment only
  // where it is told to.
  assignment.splitReductions = settings.options.splitReductions.value_or(false);
  assignment.host = settings.mode == DeviceMode::Hetero;
  return assignment;
}

LegalizeDistributionsOptions legalizationFor(const PhaseSettings &settings) {
  LegalizeDistributionsOptions legal;
  legal.splitReductions = settings.options.splitReductions.value_or(true);
  legal.gather = settings.gather;
  legal.quiet = true;
  return legal;
}

LoweringOptions loweringFor(const PhaseSettings &settings) {
  LoweringOptions lowering;
  lowering.gather = settings.gather;
  // The phases are verified one by one.
  lowering.verifiesLayouts = false;
  lowering.verifiesTileProgram = false;
  lowering.plan.target = settings.target;
  lowering.threads =
      settings.options.parallel ? TileThreads::Many : TileThreads::One;
  return lowering;
}

/// Adds what a phase does.
void addPhase(OpPassManager &passes, CompilePhase phase,
              const PhaseSettings &settings) {
  const CompileOptions &options = settings.options;
  bool hasLayouts = settings.mode != DeviceMode::Cpu;
  switch (phase) {
  case CompilePhase::Start:
    return;
  case CompilePhase::Input:
    passes.addPass(createLowerModel({options.function.value_or("")}));
    passes.addPass(createSetPrecision(options.precision));
    return;
  case CompilePhase::Padded:
    passes.addPass(createPadPrompts(options.padding));
    return;
  case CompilePhase::Assigned:
    if (hasLayouts) {
      passes.addPass(createSelectKernels({settings.target, options.kernels}));
      passes.addPass(createFuseElementwise({settings.target}));
      passes.addPass(createAssignDistributions(assignmentFor(settings)));
      if (settings.mode == DeviceMode::Hetero)
        passes.addPass(createOutlineHost());
    }
    return;
  case CompilePhase::Streamed:
    passes.addPass(createRunInSteps());
    return;
  case CompilePhase::Legal:
    if (hasLayouts)
      passes.addPass(createLegalizeDistributions(legalizationFor(settings)));
    return;
  case CompilePhase::Tiles:
    if (hasLayouts)
      passes.addPass(createMarkCycles({settings.target}));
    buildLowering(passes, CompilePhase::Legal, phase, loweringFor(settings));
    return;
  case CompilePhase::Scratchpad:
    buildLowering(passes, CompilePhase::Tiles, phase, loweringFor(settings));
    return;
  case CompilePhase::Freed:
    return;
  case CompilePhase::Llvm:
    buildLowering(passes, CompilePhase::Scratchpad, phase,
                  loweringFor(settings));
    return;
  }
}

void addVerifier(OpPassManager &passes, CompilePhase phase,
                 const PhaseSettings &settings, bool isFirst = false) {
  VerifyPhaseOptions options;
  options.phase = nameOfPhase(phase).str();
  options.target = settings.target;
  options.gather = settings.gather;
  options.ignoresDevice = isFirst && settings.mode == DeviceMode::AsWritten;
  passes.addPass(createVerifyPhase(options));
}

/// Adds the placement report, where somebody asks for it or for the NPU alone.
void addPlacement(OpPassManager &passes, const PhaseSettings &settings) {
  const std::string &file = settings.placementReport;
  bool onNpu = settings.mode == DeviceMode::Npu;
  if (file.empty() && !onNpu)
    return;
  PrintPlacementOptions options;
  options.onNpu = onNpu;
  options.outputFile = file;
  options.format = StringRef(file).ends_with(".json") ? "json" : "text";
  passes.addPass(createPrintPlacement(options));
}

/// Whether operations are told their devices after this phase: where they are
/// in tiles, or, where no phase makes that, as late as possible.
bool isPlacedAfter(CompilePhase phase, const PhaseSettings &settings) {
  if (settings.to < CompilePhase::Tiles)
    return phase == settings.to && phase == CompilePhase::Legal;
  return phase == std::max(settings.from, CompilePhase::Tiles) &&
         phase != CompilePhase::Llvm;
}

} // namespace

void buildPhases(OpPassManager &passes, const PhaseSettings &settings) {
  // What is left after any phase before llvm says what it is for.
  if (settings.mode != DeviceMode::Cpu && !settings.target.empty() &&
      settings.from < CompilePhase::Llvm)
    passes.addPass(createSetTarget({settings.target, /*targetFile=*/""}));
  addVerifier(passes, settings.from, settings, /*isFirst=*/true);
  if (settings.mode == DeviceMode::Cpu)
    passes.addPass(createStripLayouts());
  if (isPlacedAfter(settings.from, settings))
    addPlacement(passes, settings);
  for (CompilePhase phase : compilePhases()) {
    if (phase <= settings.from || phase > settings.to)
      continue;
    addPhase(passes, phase, settings);
    addVerifier(passes, phase, settings);
    if (isPlacedAfter(phase, settings))
      addPlacement(passes, settings);
  }
}

namespace {

/// The options as a pass pipeline writes them.
class PipelineOptions : public mlir::detail::PassOptions {
public:
  explicit PipelineOptions(const CompileOptions &byDefault = {})
      : options(byDefault) {
    for (const BoundOption &each : boundOptions(options))
      std::visit([&](auto *value) { add(each, value); }, each.value);
  }

  FailureOr<CompileOptions> parse(StringRef text, ErrorHandler fail) {
    std::string told;
    llvm::raw_string_ostream stream(told);
    if (failed(parseFromString(text, stream)))
      return fail("npu-compile: " + because(told));
    for (const std::function<void()> &read : reads)
      read();
    return options;
  }

private:
  /// Upstream's words without the name of its parser, and with the names of all
  /// options where one is not known.
  std::string because(StringRef told) {
    told = told.trim();
    told.consume_front("<Pass-Options-Parser>: ");
    // Upstream says by itself which value an option does not take.
    if (told.empty())
      return "expected a value that the option takes";
    std::string text = told.str();
    if (!told.contains("no such option"))
      return text;
    text += "; there are ";
    std::vector<std::string> names;
    for (const BoundOption &each : boundOptions(options))
      names.push_back(each.name.str());
    llvm::sort(names);
    return text + llvm::join(names, ", ");
  }

  template <typename T>
  void add(const BoundOption &each, T *value) {
    auto option = std::make_shared<Option<T>>(
        *this, each.name, llvm::cl::desc(each.help), llvm::cl::init(*value));
    reads.push_back([option, value] { *value = option->getValue(); });
  }
  template <typename T>
  void add(const BoundOption &each, std::optional<T> *value) {
    auto option = std::make_shared<Option<T>>(*this, each.name,
                                              llvm::cl::desc(each.help));
    reads.push_back([option, value] {
      if (option->hasValue())
        *value = option->getValue();
    });
  }
  void add(const BoundOption &each, llvm::SmallVector<int64_t> *values) {
    auto option = std::make_shared<ListOption<int64_t>>(
        *this, each.name, llvm::cl::desc(each.help));
    reads.push_back(
        [option, values] { llvm::append_range(*values, **option); });
  }

  CompileOptions options;
  /// Each takes what was written of one option, which it also owns.
  std::vector<std::function<void()>> reads;
};

} // namespace

FailureOr<CompileOptions> parseCompileOptions(StringRef text, ErrorHandler fail,
                                              const CompileOptions &byDefault) {
  return PipelineOptions(byDefault).parse(text, fail);
}

static LogicalResult build(OpPassManager &passes, const CompileOptions &options,
                           StringRef text, ErrorHandler fail) {
  FailureOr<PhaseSettings> settings = readSettings(options, fail);
  if (failed(settings))
    return failure();
  if (!options.targetFile.empty())
    passes.addPass(createSetTarget({/*target=*/"", options.targetFile}));
  if (options.asksForDevice())
    passes.addPass(createCompileForDevice(options, text));
  else
    buildPhases(passes, *settings);
  return success();
}

LogicalResult buildCompile(OpPassManager &passes, const CompileOptions &options,
                           ErrorHandler fail) {
  return build(passes, options, "", fail);
}

void registerCompilePipeline() {
  registerPassPipeline(
      "npu-compile",
      "a model without layouts, in TOSA or linalg, to a program for every "
      "tile: input, padded, assigned, streamed, legal, tiles, scratchpad, llvm",
      [](OpPassManager &passes, StringRef text, ErrorHandler fail) {
        FailureOr<CompileOptions> options = parseCompileOptions(text, fail);
        if (failed(options))
          return failure();
        return build(passes, *options, text, fail);
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(PipelineOptions());
      });
}

} // namespace npu
