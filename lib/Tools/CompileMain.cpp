// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-compile: compiles a model to an artefact, which npu-run runs.

#include "CompileCommandLine.h"
#include "ReadModel.h"
#include "npu/Analysis/DeviceOf.h"
#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Artefact/Sha256.h"
#include "npu/Compilation/CompilationCache.h"
#include "npu/Compilation/CompilationKey.h"
#include "npu/Compilation/CompileModel.h"
#include "npu/Compilation/KeptWarnings.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Jit/EmitObjects.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/InitAllPasses.h"
#include "npu/Report/Report.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/Report.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/Mains.h"
#include "npu/Tools/Version.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "npu-compile") << message << "\n";
  return 1;
}

void warn(const std::string &message) {
  llvm::WithColor::warning(llvm::errs(), "npu-compile") << message << "\n";
}

void say(const std::string &message) {
  llvm::errs() << "npu-compile: " << message << "\n";
}

/// Hashes the files that options name.
LogicalResult hashFiles(const CompileCommandLine &options,
                        std::map<std::string, std::string> &hashes) {
  for (const auto &[option, file] : options.files()) {
    auto content = readFile(file);
    if (!content) {
      fail("--" + option + ": " + content.error().message);
      return failure();
    }
    hashes[option] = sha256((*content)->getBuffer());
  }
  return success();
}

/// One run of the tool, after the reading of options and model.
class CompileRun {
public:
  CompileRun(ModuleOp module, const CompileCommandLine &options,
             CompileRequest request, KeyParts parts, Progress &progress)
      : module(module), options(options), request(std::move(request)),
        parts(std::move(parts)), key(keyOf(this->parts)), progress(progress) {}

  int run() {
    std::optional<Artefact> artefact =
        options.cacheDirectory.empty() ? compile() : compileWithCache();
    if (!artefact)
      return 1;
    // The artefact comes last: it is there only where all that was asked for
    // is.
    if (failed(reportPlacement(*artefact)))
      return 1;
    if (Result<> error = report(*artefact); !error)
      return fail(error.error().message);
    if (Result<> error = write(*artefact); !error)
      return fail(error.error().message);
    return 0;
  }

private:
  std::optional<Artefact> compile() {
    FailureOr<Artefact> artefact =
        compileModel(OwningOpRef<ModuleOp>(module.clone()), request, progress);
    progress.end();
    if (failed(artefact))
      return std::nullopt;
    // The key says what was in them when they were hashed.
    std::map<std::string, std::string> files;
    if (failed(hashFiles(options, files)))
      return std::nullopt;
    for (const auto &[option, hash] : files)
      if (hash != parts.files[option]) {
        fail("--" + option + ": " + options.files()[option] +
             " was changed while the model was compiled");
        return std::nullopt;
      }
    ArtefactHeader &header = artefact->header;
    header.compiler = parts.compiler;
    header.key = key;
    header.modelHash = parts.model;
    header.options.assign(parts.options.begin(), parts.options.end());
    how = fmt::format("compiled in {} s ({}), computes on {}",
                      spellTime(progress.seconds()), progress.times(),
                      header.computesOn);
    if (options.cacheDirectory.empty())
      say(how);
    return std::move(*artefact);
  }

  std::optional<Artefact> compileWithCache() {
    Result<CompilationCache> cache = CompilationCache::open(
        options.cacheDirectory, warn,
        options.trustsCache ? CacheTrust::Anybody : CacheTrust::OwnUser);
    if (!cache) {
      warn("cache: not used: " + cache.error().message);
      auto artefact = compile();
      if (artefact)
        say("cache miss " + key + ": " + how);
      return artefact;
    }
    std::optional<Artefact> found = cache->find(key);
    CompilationLock lock;
    if (!found) {
      lock = cache->lock(key);
      // Another process may have compiled it meanwhile.
      found = cache->find(key);
    }
    if (found)
      return hit(std::move(*found));
    progress.begin("start");
    std::optional<Artefact> artefact = compile();
    if (!artefact)
      return std::nullopt;
    cache->store(*artefact);
    if (options.cacheLimit > 0)
      cache->prune(options.cacheLimit);
    say("cache miss " + key + ": " + how);
    return artefact;
  }

  std::optional<Artefact> hit(Artefact found) {
    // What is compiled to be compared warns by itself.
    if (!options.cacheVerify)
      repeatWarnings(found, module, options.file);
    say(fmt::format("cache hit {}: {} s, computes on {}", key,
                    spellTime(progress.seconds()), found.header.computesOn));
    if (!options.cacheVerify)
      return found;
    std::optional<Artefact> artefact = compile();
    if (!artefact)
      return std::nullopt;
    if (bytesOf(*artefact) == bytesOf(found)) {
      say("cache entry verified: " + how + ", every byte is the same");
      return artefact;
    }
    fail("cache entry " + key + " differs from what the model compiles to now");
    return std::nullopt;
  }

  static std::string bytesOf(const Artefact &artefact) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    writeArtefact(artefact, os);
    return bytes;
  }

  /// Writes the placement report of the tile program in the artefact, which is
  /// there also where the cache had it.
  LogicalResult reportPlacement(const Artefact &artefact) {
    if (options.placementReport.empty())
      return success();
    OwningOpRef<ModuleOp> program = parseSourceString<ModuleOp>(
        artefact.section(tilesSection), ParserConfig(module.getContext()));
    if (!program)
      return failure();
    std::string text;
    llvm::raw_string_ostream os(text);
    DeviceTable table = deviceTableOf(*program, request.entry);
    if (StringRef(options.placementReport).ends_with(".json"))
      printDeviceTableAsJson(table, os);
    else
      printDeviceTable(table, os);
    return writeReport(module, "--placement-report", options.placementReport,
                       text);
  }

  /// Writes the report that the artefact has of itself.
  Result<> report(const Artefact &artefact) const {
    if (options.reportDirectory.empty())
      return Success();
    Result<Report> report = readReport(artefact.section(reportSection));
    if (!report)
      return report.error();
    return writeReportFiles(*report, "--report", options.reportDirectory);
  }

  /// Writes the weights first, so that an artefact never refers to a file that
  /// is not there.
  Result<> write(Artefact &artefact) {
    if (!options.weightsFile.empty()) {
      artefact.header.weights.file =
          llvm::sys::path::filename(options.weightsFile).str();
      if (Result<> error = writeFileAtomically(
              options.weightsFile,
              [&](llvm::raw_ostream &out) { out << artefact.weights; });
          !error)
        return error;
    }
    return writeFileAtomically(options.output, [&](llvm::raw_ostream &out) {
      writeArtefact(artefact, out);
    });
  }

  ModuleOp module;
  const CompileCommandLine &options;
  CompileRequest request;
  KeyParts parts;
  std::string key;
  Progress &progress;
  /// What the compilation took, to be said.
  std::string how;
};

/// Describes the target of --target-file in the module, whose own it is from
/// then on: what is compiled depends on its figures, and not on the file's
/// name.
LogicalResult takeTargetFile(ModuleOp module, CompileOptions &options) {
  if (options.targetFile.empty())
    return success();
  FailureOr<TargetFile> target =
      readTargetFile(module.getContext(), options.targetFile);
  if (failed(target))
    return failure();
  module.getContext()->loadDialect<DLTIDialect>();
  describeTarget(module, *target);
  options.targetFile.clear();
  return success();
}

/// What is compiled, from the options and the module; an error is reported.
FailureOr<CompileRequest> makeRequest(ModuleOp module,
                                      const CompileCommandLine &options,
                                      bool hasTargetFile) {
  const CompileOptions &asked = options.compile;
  FailureOr<func::FuncOp> entry =
      takeEntry(module, asked.function.value_or(""));
  if (failed(entry))
    return failure();
  FailureOr<ModuleDevice> device = deviceOf(
      module, asked.device, asked.target.value_or(""), asked.strictDevice);
  if (failed(device) ||
      (hasTargetFile &&
       failed(verifyTargetFileCounts(module, device->choice, "--target-file"))))
    return failure();
  if (asked.printDevice)
    llvm::errs() << device->account;
  FailureOr<std::optional<Target>> target =
      targetOf(module, device->choice.target);
  if (failed(target))
    return failure();
  if (!*target && npuOf(device->choice.request))
    return module.emitError()
           << "expected a target (--target=NAME, or in the module), got none; "
              "there are "
           << builtinTargetNames();
  CompileRequest request;
  request.entry = entry->getName().str();
  request.target = target->value_or(Target());
  request.options = asked;
  // The string that counts, wherever it was written, is what is compiled for.
  request.options.device = toString(device->choice.request);
  request.options.strictDevice = false;
  request.options.printDevice = false;
  request.threads = options.threads;
  request.optLevel = options.optLevel;
  return request;
}

FailureOr<KeyParts> makeKeyParts(ModuleOp module,
                                 const CompileCommandLine &options,
                                 const CompileRequest &request) {
  KeyParts parts;
  // Overrides name operations by locations, and may tell folders apart.
  parts.model = hashOfModel(module, /*withFolders=*/!options.files().empty());
  parts.target = request.target;
  parts.device = *request.options.device;
  parts.entry = request.entry;
  for (auto &[name, value] : changedOptions(request.options))
    parts.options[name] = value;
  parts.options["tiles-run"] =
      request.threads == TileThreads::Many ? "parallel" : "sequential";
  parts.options["optimization"] = std::to_string(request.optLevel);
  if (failed(hashFiles(options, parts.files)))
    return failure();
  parts.compiler = compilerVersion();
  parts.build = compilerBuild();
  HostMachine host = thisMachine();
  parts.host = std::move(host.features);
  parts.host.push_back(host.triple);
  parts.host.push_back(host.processor);
  return parts;
}

} // namespace

int compileMain(int argc, char **argv, RegisterMore more) {
  if (std::optional<int> code = runWithBundle("npu-compile", argc, argv))
    return *code;
  ModelReader reader("npu-compile", compileCategory());
  Result<CompileCommandLine> options = parseCompileCommandLine(argc, argv);
  if (!options)
    return fail(options.error().message);
  if (options->onlyPrints) {
    llvm::outs() << *options->onlyPrints;
    return 0;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerDialects(registry);
  registerExecutionInterfaces(registry);
  registerAllPasses();
  more(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Progress progress(llvm::errs(), llvm::errs().is_displayed());
  progress.begin("model");
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  // The line of the progress makes way for diagnostics, which the other handler
  // prints.
  context.getDiagEngine().registerHandler([&](Diagnostic &) {
    progress.clear();
    return failure();
  });
  if (!options->compile.padding.maxPromptLen.empty())
    reader.markPrompts();
  OwningOpRef<ModuleOp> module = reader.read(options->file, sources, context);
  if (!module || failed(reader.verifyOptions()) ||
      failed(checkConstants(*module)))
    return 1;
  bool hasTargetFile = !options->compile.targetFile.empty();
  if (failed(takeTargetFile(*module, options->compile)))
    return 1;
  FailureOr<CompileRequest> request =
      makeRequest(*module, *options, hasTargetFile);
  if (failed(request))
    return 1;
  FailureOr<KeyParts> parts = makeKeyParts(*module, *options, *request);
  if (failed(parts))
    return 1;
  return CompileRun(*module, *options, std::move(*request), std::move(*parts),
                    progress)
      .run();
}

} // namespace npu
