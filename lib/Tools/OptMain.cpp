// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-opt: mlir-opt with this project's dialect and passes.

#include "PendingOutput.h"
#include "VerifyOnce.h"
#include "npu/Audit/Faults/Passes.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/InitAllPasses.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/ModelKind.h"
#include "npu/Support/OldSpellings.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Support/ParserCrash.h"
#include "npu/Support/ParserLimits.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/Mains.h"
#include "npu/Tools/PrintTargetOption.h"
#include "npu/Tools/Version.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <map>

using namespace mlir;

namespace npu {
namespace {

//===----------------------------------------------------------------------===//
// Options of upstream that write files: their code asks nobody before it opens
// one, so that the command line is looked through first.
//===----------------------------------------------------------------------===//

/// Options of upstream, and of its passes, that name a file to write to.
constexpr llvm::StringLiteral kOutputs[] = {
    "filename",
    "info-output-file",
    "log-actions-to",
    "mlir-generate-reproducer",
    "mlir-pass-pipeline-crash-reproducer",
    "mlir-print-ir-tree-dir",
    "profile-actions-to",
    "remarks-output-file",
};

/// Options that name a file to read, of upstream, of passes, and of the
/// pipeline npu-compile.
constexpr llvm::StringLiteral kInputs[] = {
    "irdl-file",           "kernels",     "overrides",
    "precision-overrides", "target-file", "transform-library-paths",
};

/// Calls `see` with each NAME=VALUE of the arguments, also of those within the
/// options of a pass, and with each `--NAME VALUE`.
void forEachOption(
    llvm::ArrayRef<char *> arguments,
    llvm::function_ref<void(llvm::StringRef, llvm::StringRef)> see) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (argument.starts_with("-") && i + 1 < arguments.size())
      see(argument.ltrim('-'), arguments[i + 1]);
    // Passes have their options in braces or quotes, one after the other.
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(argument, words, " \t\n{}(),'\"");
    for (llvm::StringRef word : words)
      // --PASS=NAME=VALUE: every '=' may be the one between the two.
      while (word.contains('=')) {
        auto [name, value] = word.split('=');
        see(name.ltrim('-'), value);
        word = value;
      }
  }
}

/// Notes the files that arguments name as further inputs (`irdl-file=F`,
/// `overrides=F` of a pass), and then refuses an option of upstream that writes
/// to an input, as `--remarks-output-file=F` and `filename=F` of
/// --snapshot-op-locations. What has to be noted before is the tool's input.
Result<> checkUpstreamOutputs(llvm::ArrayRef<char *> arguments) {
  forEachOption(arguments, [](llvm::StringRef name, llvm::StringRef value) {
    if (llvm::is_contained(kInputs, name))
      noteInput("that of " + name.str(), value.str());
  });
  Result<> checked = Success();
  forEachOption(arguments, [&](llvm::StringRef name, llvm::StringRef value) {
    if (checked && llvm::is_contained(kOutputs, name))
      checked = checkOutput(name.str(), value.str());
  });
  return checked;
}

//===----------------------------------------------------------------------===//
// A --help of one screen: upstream prints the options of all passes, more than
// a thousand lines.
//===----------------------------------------------------------------------===//

/// The description of each pass or pipeline, by its name.
using Lines = std::map<llvm::StringRef, llvm::StringRef>;

/// The options that most users need. Each takes one line; an option with a list
/// of values would take more.
const llvm::StringSet<> &frequentOptions() {
  static const llvm::StringSet<> names = {"allow-unregistered-dialect",
                                          "bundle-weights",
                                          "emit-bundle",
                                          "help",
                                          "help-hidden",
                                          "list-passes",
                                          "load-dialect-plugin",
                                          "load-pass-plugin",
                                          "mlir-print-ir-after-all",
                                          "o",
                                          "pass-pipeline",
                                          "print-target",
                                          "show-dialects",
                                          "target-file",
                                          "version"};
  return names;
}

void print(llvm::raw_ostream &os, llvm::StringRef title, const Lines &lines) {
  size_t width = 0;
  for (const auto &line : lines)
    width = std::max(width, line.first.size());
  os << "\n" << title << ":\n";
  for (auto [name, description] : lines)
    os << "  --" << llvm::left_justify(name, width) << "  " << description
       << "\n";
}

/// Leaves a few general options in --help. All other registered options, passes
/// with their options among them, appear in --help-hidden alone. Returns the
/// text that --help begins with: `sentence`, and a line for every registered
/// pass and pipeline of this project.
///
/// To be called after all options were registered, and before they are parsed.
std::string helpOnOneScreen(llvm::StringRef sentence) {
  // Groups of options are printed in the alphabetical order of their names, and
  // upstream's is called "General options".
  static llvm::cl::OptionCategory passesWithOptions(
      "Every pass and pipeline with its options");
  Lines passes, pipelines;
  // MLIR registers every pass name as an option, and all of these share one
  // parser.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    // What upstream always hides stays so.
    if (option->getOptionHiddenFlag() != llvm::cl::ReallyHidden)
      option->setHiddenFlag(frequentOptions().contains(name)
                                ? llvm::cl::NotHidden
                                : llvm::cl::Hidden);
    const PassRegistryEntry *pass = PassInfo::lookup(name);
    const PassRegistryEntry *pipeline = PassPipelineInfo::lookup(name);
    if (!pass && !pipeline)
      continue;
    option->addCategory(passesWithOptions);
    if (name.starts_with("npu-"))
      (pass ? passes : pipelines)
          .emplace(name, (pass ? pass : pipeline)->getPassDescription());
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << sentence << "\n";
  print(os, "Passes", passes);
  print(os, "Pipelines", pipelines);
  os << "\nMLIR's own passes, dialects and options are here as well: "
        "--help-hidden shows\nall of them, and the options of every pass.\n";
  return text;
}

} // namespace
} // namespace npu

/// Refuses what upstream's parser would not survive.
static LogicalResult checkText(llvm::MemoryBufferRef input) {
  if (!npu::findParserFault(input.getBuffer()))
    return success();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(input, /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  return npu::checkText(input, &context);
}

namespace {

/// Runs first on bytecode, of which checkText() says nothing.
struct CheckNesting : PassWrapper<CheckNesting, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckNesting)

  void runOnOperation() override {
    if (failed(npu::checkNesting(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

/// Ends what counts as parsing for as long as passes run on one module and it
/// is printed.
class NoParsing : public PassInstrumentation {
public:
  explicit NoParsing(npu::ParserCrashIsError &parsing) : parsing(parsing) {
    parsing.pause();
  }
  ~NoParsing() override { parsing.resume(); }

private:
  npu::ParserCrashIsError &parsing;
};

} // namespace

/// Tells crashes of the parser apart from those of passes. The device of
/// `targetFile`, if there is one, is in the module before the first pass.
static void watchParser(MlirOptMainConfig &config,
                        npu::ParserCrashIsError &parsing, bool isBytecode,
                        llvm::StringRef targetFile) {
  config.setPassPipelineSetupFn([given = config, &parsing, isBytecode,
                                 targetFile](
                                    PassManager &passes) -> LogicalResult {
    if (isBytecode)
      passes.addPass(std::make_unique<CheckNesting>());
    if (!targetFile.empty())
      passes.addPass(npu::createSetTarget({/*target=*/"", targetFile.str()}));
    if (failed(given.setupPassPipeline(passes)))
      return failure();
    passes.addInstrumentation(std::make_unique<NoParsing>(parsing));
    npu::keepIrForBundle(passes);
    return success();
  });
}

/// Whether an input gives locations: bytecode always does, text by `loc(`. They
/// are then more than the lines of the input, such as the names of layers.
static bool givesLocations(llvm::MemoryBufferRef input) {
  if (isBytecode(input))
    return true;
  llvm::StringRef text = input.getBuffer();
  constexpr llvm::StringLiteral word = "loc(";
  for (size_t at = text.find(word); at != llvm::StringRef::npos;
       at = text.find(word, at + 1))
    // No part of another word, as in memref.alloc().
    if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
      return true;
  return false;
}

/// Sets a flag of upstream, which is reachable by its name alone, unless the
/// command line sets it.
static void setByDefault(llvm::StringRef name, llvm::StringRef value) {
  auto *option = llvm::cl::getRegisteredOptions().lookup(name);
  // MultiArg: this does not count as an occurrence on the command line.
  if (option && option->getNumOccurrences() == 0)
    option->addOccurrence(0, option->ArgStr, value, /*MultiArg=*/true);
}

/// Opens the files and runs upstream's main on them, under a configuration of
/// this project.
static LogicalResult run(llvm::StringRef inputName, llvm::StringRef outputName,
                         llvm::StringRef targetFile,
                         llvm::ArrayRef<char *> arguments,
                         DialectRegistry &registry) {
  auto config = MlirOptMainConfig::createFromCLOptions();
  npu::verifyOnce(config);
  // These two options print a list and read no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(llvm::outs(), nullptr, registry, config);

  if (inputName == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  npu::noteInput("the input", inputName.str());
  auto fail = [](const npu::Error &error) {
    llvm::WithColor::error(llvm::errs(), "npu-opt") << error.message << "\n";
    return failure();
  };
  if (npu::Result<> error = npu::checkUpstreamOutputs(arguments); !error)
    return fail(error.error());
  if (npu::Result<> error = npu::checkOutputs({{"-o", outputName.str()}});
      !error)
    return fail(error.error());
  npu::PendingOutput pending(outputName.str());
  npu::nameOutput(outputName.str());
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(pending.name(), &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  npu::ModelKind kind = npu::kindOfModel(input->getBuffer(), inputName);
  if (kind == npu::ModelKind::Onnx || kind == npu::ModelKind::OpenVino ||
      kind == npu::ModelKind::Artefact)
    return fail(
        {inputName.str() + ": expected IR, got " + npu::describe(kind)});
  if (failed(checkText(*input)))
    return failure();
  npu::ParserCrashIsError parsing(input->getBufferIdentifier());
  watchParser(config, parsing, isBytecode(*input), targetFile);
  // Names of layers stay from one file to the next. Without them, locations are
  // places in the input itself, which are of no use in another file.
  if (givesLocations(*input))
    setByDefault("mlir-print-debuginfo", "true");
  // Upstream's main takes a buffer of its own.
  auto text =
      llvm::MemoryBuffer::getMemBuffer(input->getMemBufferRef(),
                                       /*RequiresNullTerminator=*/false);
  if (failed(MlirOptMain(output->os(), std::move(text), registry, config))) {
    npu::noteOldSpelling(input->getMemBufferRef(), llvm::errs(), [&] {
      // A pass may have failed as well as the parser.
      MLIRContext context(registry, MLIRContext::Threading::DISABLED);
      context.allowUnregisteredDialects(
          config.shouldAllowUnregisteredDialects());
      ScopedDiagnosticHandler quiet(&context,
                                    [](Diagnostic &) { return success(); });
      return !parseSourceString<ModuleOp>(input->getBuffer(), &context);
    });
    return failure();
  }
  output->keep();
  output.reset();
  if (npu::Result<> refused = pending.keep(); !refused)
    return fail(refused.error());
  return success();
}

/// Upstream's dialects, extensions and passes, and this project's. Exported
/// models have operations of many dialects around their tensors, and upstream's
/// lowerings belong into one pipeline with the passes of this project.
static void registerEverything(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  npu::registerDialects(registry);
  npu::registerLoweringInterfaces(registry);
  npu::registerAllPasses();
  npu::registerNPUFaultsPasses();
}

int npu::optMain(int argc, char **argv, RegisterMore more) {
  if (std::optional<int> code = runWithBundle("npu-opt", argc, argv))
    return *code;
  npu::setFatalErrorHandlers("npu-opt");
  mlir::DialectRegistry registry;
  registerEverything(registry);
  more(registry);

  // The text that this returns lists all dialects; --show-dialects does, too.
  mlir::registerCLIOptions("", registry);
  // The operation of an error about a function is the whole function.
  setByDefault("mlir-print-op-on-diagnostic", "false");
  npu::addBundleOptions(llvm::cl::getGeneralCategory());
  static PrintTargetOption printTarget(llvm::cl::getGeneralCategory());
  static llvm::cl::opt<std::string> targetFile(
      "target-file",
      llvm::cl::desc("File of JSON with the figures of the device"),
      llvm::cl::value_desc("FILE"));
  npu::setVersionPrinter("npu-opt");
  auto [inputName, outputName] = mlir::parseCLIOptions(
      argc, argv,
      npu::helpOnOneScreen(
          "Tilewright: distributions of tensors over NPU tiles"));
  auto fail = [](const npu::Error &error) {
    llvm::WithColor::error(llvm::errs(), "npu-opt") << error.message << "\n";
    return 1;
  };
  if (Result<> read =
          npu::checkAlone("print-target", {}, npu::GivenOptions(argc, argv));
      !read)
    return fail(read.error());
  if (printTarget.isGiven()) {
    Result<std::string> text =
        printTarget.file(inputName == "-" ? "" : inputName);
    if (!text)
      return fail(text.error());
    llvm::outs() << *text;
    return 0;
  }
  npu::ParserCrashIsError::installHandler();
  llvm::InitLLVM initialized(argc, argv);
  return mlir::asMainReturnCode(run(inputName, outputName,
                                    targetFile.getValue(),
                                    {argv + 1, argv + argc}, registry));
}
