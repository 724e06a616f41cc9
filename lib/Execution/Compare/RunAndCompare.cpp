// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one program, or two on the same inputs and compares them, at one length
// or at several.

#include "npu/Execution/Compare/RunAndCompare.h"
#include "CheckPlacement.h"
#include "ReportResults.h"
#include "npu/Analysis/DeviceOf.h"
#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/Compare/RunSides.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Host/Npy.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/InputFiles.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

namespace {

LogicalResult runOnCpu(ModuleOp module) {
  if (phaseOf(module) == CompilePhase::Tiles)
    return mlir::emitError(module.getLoc())
           << "expected a file with layouts or without for device CPU, got a "
              "program that is cut into tiles, which cannot be undone";
  return toReference(module);
}

/// An error where the program was made for another target than the device
/// names.
LogicalResult checkTarget(ModuleOp module, const ModuleDevice &device) {
  const NamedDevice *npu = npuOf(device.choice.request);
  if (!npu || npu->target.empty() || phaseOf(module) == CompilePhase::Start)
    return success();
  FailureOr<std::optional<Target>> described = describedTarget(module);
  if (failed(described))
    return failure();
  if (!*described || (*described)->name == npu->target)
    return success();
  return mlir::emitError(module.getLoc())
         << "the program is for target '" << (*described)->name
         << "', and the device " << toString(device.choice.request) << " is '"
         << npu->target << "'";
}

/// Whether tiles do all that the entry computes; a remark where they do not.
FailureOr<bool> fitsNpu(ModuleOp module, StringRef entry,
                        const DeviceRequest &request) {
  OwningOpRef<ModuleOp> copy = module.clone();
  FailureOr<func::FuncOp> function = findEntry(*copy, entry);
  if (failed(function) || failed(keepReachable(*copy, *function)) ||
      failed(toExecutable(*copy)))
    return failure();
  Operation *onCpu = computesOnCpu(deviceTableOf(*copy, entry));
  if (onCpu)
    mlir::emitRemark(onCpu->getLoc())
        << "device " << toString(request)
        << ": NPU does not take the whole model ('" << onCpu->getName()
        << "' falls back to the host), so that it is CPU";
  return onCpu == nullptr;
}

} // namespace

/// Finds the device by command line, file and environment. Where nobody names
/// one, the module runs as it is. Otherwise, on the CPU it loses its layouts;
/// on the NPU `onNpu` becomes true, so that an operation that computes on the
/// CPU is an error; and a target that the device names becomes that of the
/// scratchpads. An error at the module where its program is for another target,
/// or is cut into tiles and is to run on the CPU.
static LogicalResult applyDevice(ModuleOp module, StringRef entry,
                                 RunOptions &options) {
  FailureOr<ModuleDevice> device = deviceOf(
      module, options.device, options.scratchpad.target, options.strictDevice);
  if (failed(device))
    return failure();
  if (options.printDevice)
    llvm::errs() << device->account;
  const DeviceRequest &request = device->choice.request;
  if (device->choice.source == "default" && !options.strictDevice)
    return success();
  if (failed(checkTarget(module, *device)))
    return failure();
  bool isWhole = request.way == DeviceWay::Whole || !hasCpu(request);
  if (request.devices.front().kind == DeviceKind::Cpu)
    return runOnCpu(module);
  options.scratchpad.target = device->choice.target;
  if (!isWhole)
    return success();
  if (hasCpu(request)) {
    FailureOr<bool> fits = fitsNpu(module, entry, request);
    if (failed(fits))
      return failure();
    if (!*fits)
      return runOnCpu(module);
  }
  options.onNpu = true;
  return success();
}

namespace {

/// Writes to the file that the user has named, as JSON where its name ends so,
/// or as text to `out`.
LogicalResult write(const DeviceTable &table, const std::string &file,
                    llvm::raw_ostream &out) {
  if (file == "-") {
    printDeviceTable(table, out);
    return success();
  }
  if (Result<> checked = checkOutput("--placement-report", file); !checked)
    return failRun(checked.error().message);
  Result<> written = writeFileAtomically(file, [&](llvm::raw_ostream &opened) {
    if (StringRef(file).ends_with(".json"))
      printDeviceTableAsJson(table, opened);
    else
      printDeviceTable(table, opened);
  });
  return written ? success()
                 : failRun("--placement-report: " + written.error().message);
}

} // namespace

/// Writes the placement report of the function with the executions of its runs,
/// and holds it against what was executed: an error line for each difference.
/// Nothing where no report was asked for, or nothing ran.
static LogicalResult reportPlacement(Sides &sides, const RunOptions &options,
                                     llvm::raw_ostream &out) {
  Side &own = sides.own;
  if (!own.record || own.runs == 0)
    return success();
  std::vector<std::string> wrong =
      checkPlacement(own.placement, *own.record, own.runs);
  if (failed(write(own.placement, options.placementReport, out)))
    return failure();
  if (wrong.empty()) {
    out << "placement: every operation was executed where the report says\n";
    return success();
  }
  out.flush();
  for (const std::string &sentence : wrong)
    (void)failRun("placement: " + sentence);
  out << "placement: not as the report says\n";
  return failure();
}

namespace {

/// What a comparison has found.
struct Verdict {
  Outcome outcome = Outcome::Equal;
  /// Whether results have NaN or infinities in common.
  bool hasNonFinite = false;
};

/// Compares the results of the last run.
Verdict compare(Sides &sides, const RunOptions &options,
                const std::vector<HostTensor> &inputs, llvm::raw_ostream &out) {
  reportSplits(sides.splits, out);
  Outcome worst = Outcome::Equal;
  Verdict verdict;
  bool replayed = false, overflowed = false;
  for (unsigned i = 0; i < sides.own.results.size(); ++i) {
    Comparison comparison = reportResult(sides, i, options, out);
    NonFiniteCount count = reportNonFinite(sides, i, out);
    verdict.hasNonFinite |= count.total() > 0;
    replayed |= comparison.replayed > 0;
    overflowed |= comparison.overflowed > 0;
    Outcome outcome = outcomeOf(comparison);
    if (count.isMost() && !options.allowNonFinite) {
      if (outcome != Outcome::Different && worst < Outcome::NotFinite)
        reportOrigin(sides, i, inputs, out);
      outcome = std::max(outcome, Outcome::NotFinite);
    }
    worst = std::max(worst, outcome);
  }
  bool isHeld = true;
  if (replayed || overflowed)
    isHeld = succeeded(reportRounding(sides, out));
  if (worst == Outcome::Different && !overflowed)
    reportBroken(sides.own, out);
  if (!isHeld)
    worst = Outcome::Different;
  verdict.outcome = worst;
  if (worst != Outcome::Different || sides.splits.empty())
    return verdict;
  if (!sides.whyNoReplay.empty())
    out << "the reference cannot add up in the same parts, so bits have to be "
           "equal: "
        << sides.whyNoReplay << "\n";
  if (sides.replay && sides.takesLength)
    out << "with padding in front, parts begin elsewhere at every length: "
           "compare with the padded function\n";
  if (!sides.whyNoReplay.empty() || overflowed || !isHeld)
    out << "what can be compared: --inputs=integers, whose sums are exact in "
           "any order while they stay small; the file legalized with "
           "split-reductions=false; sums accumulated in f32\n";
  return verdict;
}

LogicalResult conclude(Outcome worst, llvm::raw_ostream &out) {
  switch (worst) {
  case Outcome::Equal:
    out << "equal\n";
    return success();
  case Outcome::Allowed:
    out << "equal within what is allowed\n";
    return success();
  case Outcome::NotFinite:
    out << "not comparable: more than half of a result is NaN or infinite on "
           "both sides (other inputs, as --inputs=normal; --allow-non-finite "
           "lets it pass)\n";
    return failure();
  case Outcome::Different:
    out << "different\n";
    return failure();
  }
}

/// An error where there is something to compare with, and nothing to compare.
LogicalResult verifyComparable(const Sides &sides) {
  if (!sides.reference || !sides.own.results.empty())
    return success();
  return failRun(fmt::format("expected results to compare, and '{}' has none",
                             sides.entry));
}

/// Compares at every length; prints the lengths at which results differ.
LogicalResult compareLengths(Sides &sides, const RunOptions &options,
                             llvm::raw_ostream &out) {
  Outcome worst = Outcome::Equal;
  int64_t different = 0, notFinite = 0;
  for (const LengthsOfRun &run : options.lengths.runs) {
    auto inputs = makeInputs(sides, options, run);
    if (failed(inputs) || failed(runSides(sides, *inputs, 1)) ||
        failed(verifyComparable(sides)))
      return failure();
    std::string text;
    llvm::raw_string_ostream stream(text);
    auto [outcome, hasNonFinite] = compare(sides, options, *inputs, stream);
    notFinite += hasNonFinite;
    if (outcome != Outcome::Equal)
      out << options.lengths.spell(run) << ":\n" << text;
    different += outcome == Outcome::Different;
    worst = std::max(worst, outcome);
  }
  if (notFinite > 0)
    out << fmt::format("at {} lengths, results have NaN or infinite entries on "
                       "both sides\n",
                       notFinite);
  out << fmt::format("{} lengths, {} different\n", options.lengths.runs.size(),
                     different);
  return conclude(worst, out);
}

/// What the fastest run took here, which says nothing of a device.
std::string timeOf(const Side &side) {
  bool hasTiles = !side.function->arenas().empty();
  return fmt::format("time: {} ms on this CPU{}", spellTime(side.milliseconds),
                     hasTiles ? ", which simulates the device" : "");
}

/// Prints the results of a function that is compared with nothing.
void report(Sides &sides, const std::vector<HostTensor> &inputs,
            const RunOptions &options, llvm::raw_ostream &out) {
  reportRun(sides, out);
  for (unsigned i = 0; i < sides.own.results.size(); ++i) {
    std::string text;
    llvm::raw_string_ostream line(text);
    NonFiniteCount count = reportNonFinite(sides, i, line);
    if (count.total() == 0)
      continue;
    out << "result #" << i << ":" << StringRef(text).drop_front();
    if (count.isMost() && !options.allowNonFinite && sides.searched.module)
      reportOrigin(sides, i, inputs, out);
  }
  if (options.repeat > 1)
    out << timeOf(sides.own) << "\n";
}

/// An error where there are not as many files as results.
Result<> checkExpected(const Sides &sides, const RunOptions &options) {
  std::vector<TensorSpec> specs = sides.own.function->results();
  if (options.expectedFiles.empty() ||
      options.expectedFiles.size() == specs.size())
    return Success();
  return Error{
      fmt::format("--expected: expected {} file{}, one for each result "
                  "of {}, got {}",
                  specs.size(), specs.size() == 1 ? "" : "s", toString(specs),
                  options.expectedFiles.size())};
}

/// Reads what is expected in place of a reference's results.
LogicalResult readExpected(Sides &sides, const std::vector<TensorSpec> &specs,
                           const RunOptions &options) {
  for (auto [i, file] : llvm::enumerate(options.expectedFiles)) {
    Result<HostTensor> expected = readNpy(file, specs[i]);
    if (!expected)
      return failRun(fmt::format("--expected: result #{}: {}", i,
                                 expected.error().message));
    sides.reference.results.push_back(std::move(*expected));
  }
  return success();
}

/// Runs the compiled sides at one length, and compares or prints.
LogicalResult runOnce(Sides &sides, const RunOptions &options,
                      llvm::raw_ostream &out) {
  LengthsOfRun run;
  if (!options.lengths.empty())
    run = options.lengths.runs.front();
  auto inputs = makeInputs(sides, options, run);
  if (failed(inputs))
    return failure();
  std::optional<ResultFiles> files;
  if (!options.output.empty()) {
    Result<ResultFiles> made = ResultFiles::create(sides.own, options.output);
    if (!made)
      return failRun(made.error().message);
    files = std::move(*made);
  }
  if (failed(runSides(sides, *inputs, options.repeat)))
    return failure();
  const Side &own = sides.own, &reference = sides.reference;
  if (files && failed(files->write(own)))
    return failure();
  std::vector<TensorSpec> specs;
  for (const HostTensor &result : own.results)
    specs.push_back(result.spec);
  if (failed(readExpected(sides, specs, options)))
    return failure();
  if (failed(verifyComparable(sides)))
    return failure();
  if (!reference && reference.results.empty()) {
    report(sides, *inputs, options, out);
    return success();
  }
  Outcome worst = compare(sides, options, *inputs, out).outcome;
  if (options.repeat > 1 && reference)
    out << timeOf(own)
        << fmt::format(", reference {} ms, ratio {}\n",
                       spellTime(reference.milliseconds),
                       spellTime(own.milliseconds / reference.milliseconds));
  return conclude(worst, out);
}

/// Refuses to write results over inputs or over each other's report, before
/// anything runs and before any of them is written.
Result<> checkResultFiles(const Sides &sides, const RunOptions &options) {
  if (options.output.empty())
    return Success();
  std::vector<NamedFile> outputs{
      {"--placement-report", options.placementReport}};
  for (std::string &file :
       filesOfResults(options.output, sides.own.function->results().size()))
    outputs.push_back({"--output", std::move(file)});
  return checkOutputs(outputs);
}

/// Runs one rank's part of the function, whose results another rank compares.
LogicalResult runAsOther(Sides &sides, const RunOptions &options) {
  if (failed(compileSides(sides, options)))
    return failure();
  std::vector<LengthsOfRun> runs = options.lengths.runs;
  if (runs.empty())
    runs.emplace_back();
  for (const LengthsOfRun &run : runs) {
    auto inputs = makeInputs(sides, options, run);
    if (failed(inputs) || failed(runSides(sides, *inputs, options.repeat)))
      return failure();
  }
  return success();
}

/// Compiles what is not compiled yet, runs, and reports.
LogicalResult runPrepared(FailureOr<Sides> sides, const RunOptions &options,
                          llvm::raw_ostream &out) {
  if (failed(sides))
    return failure();
  if (options.ranks && !options.ranks->isFirst())
    return runAsOther(*sides, options);
  if (sides->reference && options.entry.empty() && sides->entry != "main")
    out << "entry: '" << sides->entry << "', the only function to run\n";
  bool several = options.lengths.runs.size() > 1;
  if (Result<> checked = checkExpected(*sides, options); !checked)
    return failRun(checked.error().message);
  if (several && (!sides->reference || !options.output.empty()))
    return failRun(fmt::format("--length: expected one length without a "
                               "reference or with --output, got {}",
                               options.lengths.runs.size()));
  if (Result<> checked = checkResultFiles(*sides, options); !checked)
    return failRun(checked.error().message);
  if (failed(compileSides(*sides, options)))
    return failure();
  LogicalResult outcome = several ? compareLengths(*sides, options, out)
                                  : runOnce(*sides, options, out);
  LogicalResult placed = reportPlacement(*sides, options, out);
  return success(succeeded(outcome) && succeeded(placed));
}

} // namespace

LogicalResult runAndCompare(OwningOpRef<ModuleOp> module,
                            OwningOpRef<ModuleOp> reference,
                            const RunOptions &asked, llvm::raw_ostream &out) {
  RunOptions options = asked;
  FailureOr<func::FuncOp> function = takeEntry(*module, options.entry);
  if (failed(function))
    return failure();
  options.lengths.addSums(namesOfPrompts(*function));
  // The reference has the same program around it, and the same function in it.
  if (reference && failed(takeEntry(*reference, function->getName())))
    return failure();
  if (failed(applyDevice(*module, function->getName(), options)))
    return failure();
  return runPrepared(
      prepareSides(std::move(module), std::move(reference), options), options,
      out);
}

LogicalResult runArtefactAndCompare(Artefact artefact, const std::string &file,
                                    OwningOpRef<ModuleOp> reference,
                                    MLIRContext &context,
                                    const RunOptions &asked,
                                    llvm::raw_ostream &out) {
  RunOptions options = asked;
  FailureOr<Sides> sides = prepareArtefact(
      std::move(artefact), file, std::move(reference), context, options);
  return runPrepared(std::move(sides), options, out);
}

} // namespace npu
