// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps from a model to an artefact: the phases of npu-compile up to tile
// programs, buffers at planned places, object code.

#include "npu/Compilation/CompileModel.h"

#include "CachesOf.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Artefact/CacheCapacity.h"
#include "npu/Artefact/CodeNeeds.h"
#include "npu/Artefact/Sha256.h"
#include "npu/Compilation/CompilationKey.h"
#include "npu/Compilation/KeptWarnings.h"
#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Conversion/LowerToTiles/TileSteps.h"
#include "npu/Conversion/PlanScratchpad/PlanReport.h"
#include "npu/Conversion/Schedule/ModelledRun.h"
#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Jit/EmitObjects.h"
#include "npu/Execution/Jit/NoteExecutions.h"
#include "npu/Execution/Jit/SeparateWeights.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Object/ObjectLibrary.h"
#include "npu/Execution/Object/PlacementJson.h"
#include "npu/Execution/Prepare/ArgumentRoles.h"
#include "npu/Execution/Prepare/PrepareEntry.h"
#include "npu/Preprocess/Precision/PrecisionWarnings.h"
#include "npu/Report/Report.h"
#include "npu/Support/BundleNotes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Which devices compute something.
std::string devicesOf(const DeviceTable &table) {
  bool onNpu = false, onCpu = false;
  for (const DeviceRow &row : table.rows)
    (row.tile ? onNpu : onCpu) |= row.computes;
  if (onNpu && onCpu)
    return "NPU and CPU";
  return onNpu ? "NPU" : onCpu ? "CPU" : "nothing";
}

/// Makes the lengths of prompts whose names are sums of others these sums;
/// false where one is above the largest.
bool setSums(LengthsOfRun &run, llvm::ArrayRef<std::string> prompts,
             int64_t largest) {
  for (size_t i = 0; i < prompts.size(); ++i)
    if (auto sum = lengthOfSum(prompts[i], prompts, [&](StringRef term) {
          return run[llvm::find(prompts, term) - prompts.begin()];
        }))
      run[i] = *sum;
  return *llvm::max_element(run) <= largest;
}

/// All lengths of one prompt from the smallest to the largest. Those of several
/// are too many to look at each: the same length for all, and the shortest and
/// the longest of each with those of the others.
PromptLengths allLengths(llvm::ArrayRef<std::string> prompts, int64_t smallest,
                         int64_t largest) {
  PromptLengths lengths;
  lengths.returnsExtents = true;
  lengths.leavesAssertions = true;
  lengths.room = largest;
  lengths.names.assign(prompts.begin() + 1, prompts.end());
  for (int64_t length = smallest; length <= largest; ++length)
    lengths.runs.emplace_back(prompts.size(), length);
  if (prompts.size() == 1)
    return lengths;
  lengths.upTo = largest;
  // Of more prompts than this, several have one length.
  constexpr size_t most = 6;
  size_t choices = size_t(1) << std::min(prompts.size(), most);
  for (size_t choice = 1; choice + 1 < choices; ++choice) {
    LengthsOfRun run;
    for (size_t i = 0; i < prompts.size(); ++i)
      run.push_back(choice >> (i % most) & 1 ? largest : 1);
    lengths.runs.push_back(std::move(run));
  }
  llvm::erase_if(lengths.runs, [&](LengthsOfRun &run) {
    return !setSums(run, prompts, largest);
  });
  return lengths;
}

/// Takes the precision warnings of a module once its types are decided.
class WatchPrecision : public PassInstrumentation {
public:
  explicit WatchPrecision(std::vector<std::string> &warnings)
      : warnings(warnings) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "npu-set-precision")
      warnings = precisionWarnings(cast<ModuleOp>(op));
  }

private:
  std::vector<std::string> &warnings;
};

class ModelCompiler {
public:
  ModelCompiler(MLIRContext *context, const CompileRequest &request,
                Progress &progress)
      : warnings(context), request(request), progress(progress) {}

  FailureOr<Artefact> compile(OwningOpRef<ModuleOp> module) {
    ArtefactHeader &header = artefact.header;
    header.target = request.target;
    header.device = request.options.device.value_or("");
    header.entry = request.entry;
    header.parallel = request.threads == TileThreads::Many;
    if (failed(readModel(*module)) || failed(toTiles(*module)) ||
        failed(toObject(std::move(module))))
      return failure();
    progress.end();
    return std::move(artefact);
  }

private:
  /// Takes from the model what later phases no longer have: what inputs are
  /// called and used as, and caches.
  LogicalResult readModel(ModuleOp module) {
    FailureOr<func::FuncOp> function = findEntry(module, request.entry);
    if (failed(function))
      return failure();
    roles = argumentRoles(*function);
    prompts = namesOfPrompts(*function);
    for (unsigned i = 0; i < function->getNumArguments(); ++i) {
      auto name = function->getArgAttrOfType<StringAttr>(
          i, NPUDialect::NameAttrHelper::getNameStr());
      names.push_back(name ? name.str() : "");
      locations.push_back(function->getArgument(i).getLoc());
    }
    artefact.header.caches = cachesOf(*function);
    // A cache is empty at the first step.
    smallestPrompt = prompts.size() > 1 ? 0 : 1;
    for (const CacheArgument &cache : cacheArguments(*function))
      if (cast<ShapedType>(function->getArgumentTypes()[cache.argument])
              .isDynamicDim(cache.dimension))
        smallestPrompt = 0;
    for (unsigned i = 0; i < function->getNumResults(); ++i) {
      auto name = function->getResultAttrOfType<StringAttr>(
          i, NPUDialect::NameAttrHelper::getNameStr());
      resultNames.push_back(name ? name.str() : "");
    }
    return success();
  }

  /// Runs the phases up to tile programs.
  LogicalResult toTiles(ModuleOp module) {
    CompileOptions options = request.options;
    options.to = nameOfPhase(CompilePhase::Tiles).str();
    PassManager passes(module.getContext());
    auto fail = [&](const Twine &message) -> LogicalResult {
      return mlir::emitError(module.getLoc()) << message;
    };
    if (failed(buildCompile(passes, options, fail)))
      return failure();
    progress.attachTo(passes);
    keepIrForBundle(passes);
    // What is computed in f32 loses nothing.
    if (options.precision.policy != "accuracy")
      passes.addInstrumentation(
          std::make_unique<WatchPrecision>(report.precisionWarnings));
    // npu-compile verifies the IR after each phase.
    passes.enableVerifier(false);
    if (failed(passes.run(module)))
      return failure();
    // What is kept names files without their folders; errors that still come
    // name them as users did.
    OwningOpRef<ModuleOp> kept = module.clone();
    dropDirectories(*kept);
    std::string text;
    llvm::raw_string_ostream os(text);
    constexpr int64_t largest = 16;
    kept->print(os, OpPrintingFlags()
                        .elideLargeElementsAttrs(largest)
                        .elideLargeResourceString(largest)
                        .enableDebugInfo());
    addSection(tilesSection, std::move(text));
    FailureOr<std::string> steps = tileStepsAsJson(*kept);
    if (failed(steps))
      return failure();
    addSection(scheduleSection, std::move(*steps));
    return success();
  }

  LogicalResult toObject(OwningOpRef<ModuleOp> module) {
    progress.begin(nameOfPhase(CompilePhase::Scratchpad));
    const SmallVector<int64_t> &promptLengths =
        request.options.padding.maxPromptLen;
    PromptLengths lengths;
    if (!promptLengths.empty())
      lengths = allLengths(prompts, smallestPrompt,
                           *llvm::max_element(promptLengths));
    bool takesLength = false;
    FailureOr<func::FuncOp> function = prepareEntry(
        *module, request.entry, lengths, takesLength, &promptDimensions);
    if (failed(function))
      return failure();
    if (takesLength) {
      artefact.header.smallestPrompt = smallestPrompt;
      artefact.header.largestPrompt = lengths.largest(0);
      artefact.header.prompts.assign(prompts.begin(), prompts.end());
      artefact.header.promptLengths.assign(promptLengths.begin(),
                                           promptLengths.end());
    }
    // What is kept is said of a copy whose locations have no folders.
    OwningOpRef<ModuleOp> kept = module->clone();
    dropDirectories(*kept);
    DeviceTable table = deviceTableOf(*kept, request.entry);
    artefact.header.computesOn = devicesOf(table);
    reportHost(table);
    writeRowsIntoLocations(*module, deviceTableOf(*module, request.entry));
    auto compiled = bufferize(std::move(module));
    if (failed(compiled))
      return failure();
    (*compiled)->setPrompts(std::move(promptDimensions));
    ExecutionRecord record;
    (*compiled)->noteExecutions(record);
    addSection(placementSection, placementToJson(table, record));
    describe(**compiled);
    finishReport();
    return emit(**compiled);
  }

  FailureOr<std::unique_ptr<CompiledFunction>>
  bufferize(OwningOpRef<ModuleOp> module) {
    ScratchpadOptions scratchpad;
    scratchpad.target = request.options.target.value_or("");
    scratchpad.whenPlanned = [&](ModuleOp planned) -> LogicalResult {
      dropDirectories(planned);
      FailureOr<std::string> plan =
          scratchpadPlanAsJson(planned, request.target);
      if (failed(plan))
        return failure();
      addSection(scratchpadSection, std::move(*plan));
      reportRun(planned);
      return success();
    };
    return CompiledFunction::bufferize(std::move(module), request.entry,
                                       request.threads, scratchpad);
  }

  /// Notes the operations that the host runs.
  void reportHost(const DeviceTable &table) {
    for (auto [row, op] : llvm::zip_equal(table.rows, table.ops))
      // What is called has rows of its own.
      if (!row.tile && row.computes && !isa<func::CallOp>(op))
        report.hostIslands.push_back(
            fmt::format("{} {}: {}", row.name, row.location, row.reason));
  }

  /// Notes the modelled run of the program, or why there is none, which is no
  /// reason to compile nothing.
  void reportRun(ModuleOp planned) {
    report.entry = request.entry;
    if (request.target.name.empty() || artefact.header.computesOn == "CPU") {
      report.refusal = "the model is for the CPU alone, of which no costs are "
                       "known";
      return;
    }
    ScopedDiagnosticHandler handler(
        planned.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            report.refusal = diagnostic.str();
          return success();
        });
    FailureOr<func::FuncOp> function = findEntry(planned, request.entry);
    if (failed(function))
      return;
    FailureOr<ModelledRun> run = modelledRun(*function, request.target);
    if (failed(run))
      return;
    const ScheduleSummary &summary = run->summary;
    if (summary.calls > 0)
      report.notes.push_back(fmt::format(
          "no figure of a host is known: its work, in {}, is taken to go "
          "through DDR, and to be as fast as on one vector engine; {} cycles",
          summary.calls == 1 ? "1 call"
                             : fmt::format("{} calls", summary.calls),
          summary.callCycles));
    if (summary.unknownLoops > 0)
      report.notes.push_back(fmt::format(
          "{} of a number of rounds that is not known until it runs: one round "
          "counts",
          summary.unknownLoops == 1
              ? "1 loop is"
              : fmt::format("{} loops are", summary.unknownLoops)));
    report.totalCycles = summary.total;
    report.computeBound = summary.computeBound;
    report.ddrBound = summary.ddrBound;
    report.ddrBytes = summary.ddrBytes;
    report.ddrBytesBound = summary.ddrBytesBound;
    report.bytesBetweenMachines = summary.bytesBetweenMachines;
    report.computeWaiting = summary.computeWaiting;
    report.transferWaiting = summary.transferWaiting;
    if (request.target.ddrBytesPerSecond > 0 && request.target.clockHz > 0 &&
        summary.total > 0)
      report.ddrUtilisation = static_cast<double>(summary.ddrBusy) /
                              static_cast<double>(summary.total);
    for (LayerRun &layer : run->layers) {
      layer.name = llvm::json::fixUTF8(layer.name);
      for (std::string &name : layer.fused)
        name = llvm::json::fixUTF8(name);
      report.layers.push_back({std::move(layer), std::nullopt, 0});
    }
  }

  /// The rows that a run adds to each cache; nothing where there is no cache
  /// that it continues.
  std::optional<int64_t> tokensOfRun() const {
    const ArtefactHeader &header = artefact.header;
    for (const ArtefactCache &cache : header.caches) {
      if (!cache.result)
        continue;
      if (cache.rows > 0)
        return cache.rows;
      if (header.largestPrompt > 0)
        return header.largestPrompt;
      int64_t before = header.inputs[cache.input].spec.shape[cache.dimension];
      int64_t after = header.results[*cache.result].spec.shape[cache.dimension];
      if (after > before)
        return after - before;
    }
    return std::nullopt;
  }

  void finishReport() {
    const ArtefactHeader &header = artefact.header;
    for (const ArtefactArena &arena : header.arenas)
      if (arena.bytes > report.scratchpadBytes) {
        report.scratchpadTile = arena.tile;
        report.scratchpadBytes = arena.bytes;
      }
    report.tokensOfRun = tokensOfRun();
    if (header.promptLengths.size() > 1)
      report.notes.push_back(fmt::format(
          "the {} lengths of prompts are branches, which all count: "
          "--prompt-len compiles for one of them",
          header.promptLengths.size()));
    complete(report, request.target);
    addSection(reportSection, reportJson(report));
    // Artefacts without warnings have no section of them.
    if (std::string said = warnings.section(); !said.empty())
      addSection(warningsSection, std::move(said));
  }

  /// Writes what callers have to know into the header.
  void describe(const CompiledFunction &compiled) {
    ArtefactHeader &header = artefact.header;
    const FunctionSignature &signature = compiled.specs();
    for (auto [i, spec] : llvm::enumerate(signature.inputs)) {
      ArtefactTensor tensor{i < names.size() ? names[i] : "", spec, {}, {}};
      if (i < roles.size())
        tensor.role = roles[i];
      header.inputs.push_back(std::move(tensor));
    }
    for (auto [i, spec] : llvm::enumerate(signature.results))
      header.results.push_back(
          {i < resultNames.size() ? resultNames[i] : "", spec, {}, {}});
    for (const Arena &arena : signature.arenas)
      header.arenas.push_back({arena.tile, arena.bytes});
    for (const PromptDimension &each : signature.prompts.inputs)
      header.inputs[each.tensor].promptDimensions.push_back(
          {each.dimension, each.number});
    for (const PromptDimension &each : signature.prompts.results)
      header.results[each.tensor].promptDimensions.push_back(
          {each.dimension, each.number});
    header.temporaryBytes = signature.temporaryBytes;
    header.operations = signature.operations;
    header.optLevel = request.optLevel;
    for (ArtefactCache &cache : header.caches)
      describe(cache, signature);
    remarkCaches();
  }

  /// Says how much a cache can hold, and whether rows are added in place.
  void describe(ArtefactCache &cache, const FunctionSignature &signature) {
    const ArtefactTensor &input = artefact.header.inputs[cache.input];
    bool grows = llvm::any_of(input.promptDimensions,
                              [&](const ArtefactPromptDimension &each) {
                                return each.dimension == cache.dimension;
                              });
    cache.length = input.spec.shape[cache.dimension];
    cache.capacity =
        cacheCapacity(grows, artefact.header.largestPrompt, cache.length);
    cache.isInPlace =
        llvm::any_of(signature.inPlace, [&](const ResultInPlace &each) {
          return static_cast<int64_t>(each.input) == cache.input;
        });
  }

  /// Says what is done with caches, once for all that are alike, at the first.
  void remarkCaches() {
    std::map<std::pair<int64_t, bool>, std::vector<int64_t>> alike;
    for (const ArtefactCache &cache : artefact.header.caches)
      if (cache.result)
        alike[{cache.capacity, cache.isInPlace}].push_back(cache.input);
    for (const auto &[kind, inputs] : alike)
      mlir::emitRemark(locations[inputs.front()])
          << inputs.size() << (inputs.size() == 1 ? " cache" : " caches")
          << " of " << kind.first << " positions, "
          << (kind.second ? "to which rows are added in place"
                          : "returned as a whole: results are not caches with "
                            "rows put after their own");
  }

  LogicalResult emit(CompiledFunction &compiled) {
    progress.begin(nameOfPhase(CompilePhase::Llvm));
    addWeights(separateWeights(compiled.program()));
    if (failed(compiled.lowerToLLVM()))
      return failure();
    progress.begin("object code");
    HostMachine host = thisMachine();
    artefact.header.host = {host.triple, host.processor, host.features};
    FailureOr<ObjectFiles> objects =
        emitObjects(compiled.program(), compiled.symbol(), request.optLevel,
                    codeNeeds(artefact));
    if (failed(objects))
      return failure();
    auto library = writeLibrary(*objects);
    if (!library)
      return compiled.program().emitError()
             << "cannot be written as object code: "
             << llvm::toString(library.takeError());
    addSection(objectSection, std::move(*library));
    return success();
  }

  /// Lays the weights out one after the other, each at a multiple of 64 bytes.
  void addWeights(llvm::ArrayRef<SeparateWeight> separated) {
    std::string bytes;
    ArtefactWeights &weights = artefact.header.weights;
    for (const SeparateWeight &weight : separated) {
      bytes.resize(llvm::alignTo(bytes.size(), sectionAlignment));
      weights.entries.push_back({weight.symbol,
                                 static_cast<int64_t>(bytes.size()),
                                 static_cast<int64_t>(weight.bytes.size())});
      bytes.append(weight.bytes.begin(), weight.bytes.end());
    }
    weights.bytes = static_cast<int64_t>(bytes.size());
    weights.sha256 = sha256(bytes);
    artefact.weights = keep(std::move(bytes));
  }

  void addSection(StringRef name, std::string bytes) {
    artefact.sections.push_back({name.str(), keep(std::move(bytes))});
  }

  StringRef keep(std::string bytes) {
    artefact.memory.push_back(llvm::MemoryBuffer::getMemBufferCopy(bytes));
    return artefact.memory.back()->getBuffer();
  }

  KeptWarnings warnings;
  const CompileRequest &request;
  Progress &progress;
  Artefact artefact;
  Report report;
  std::vector<InputRole> roles;
  std::vector<std::string> names, resultNames;
  SmallVector<std::string> prompts;
  int64_t smallestPrompt = 1;
  PromptDimensions promptDimensions;
  SmallVector<Location> locations;
};

} // namespace

FailureOr<Artefact> compileModel(OwningOpRef<ModuleOp> module,
                                 const CompileRequest &request,
                                 Progress &progress) {
  MLIRContext *context = module->getContext();
  return ModelCompiler(context, request, progress).compile(std::move(module));
}

} // namespace npu
