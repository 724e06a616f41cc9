// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run: runs a function before and after distribution, and compares the
// results.

#include "AuditCommandLine.h"
#include "RankCommandLine.h"
#include "ReadModel.h"
#include "npu/Audit/Audit.h"
#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Execution/Compare/CheckStorage.h"
#include "npu/Execution/Compare/Decode.h"
#include "npu/Execution/Compare/RunAndCompare.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/InitAllPasses.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/OnePiece.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/Mains.h"
#include "npu/Tools/OptLevelOption.h"
#include "npu/Tools/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("npu-run options");
static cl::opt<std::string>
    file(cl::Positional, cl::desc("FILE, IR, an ONNX model or an artefact"),
         cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    entry("entry",
          cl::desc("The function to run (default: main, or else the only "
                   "public function, or the only one)"),
          cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    inputs("inputs",
           cl::desc("random (-1 to 1), normal (weights scaled by their "
                    "fan-in, which keeps networks finite), positive (the same, "
                    "above 0), iota, small-integers or integers (exact in any "
                    "order), special (random, with zeros, infinities, NaN), or "
                    "a .npy file for each argument"),
           cl::value_desc("kind|a.npy,b.npy"), cl::init("random"),
           cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of generated inputs"),
                              cl::value_desc("N"), cl::init(0),
                              cl::cat(category));
static cl::opt<std::string>
    reference("reference",
              cl::desc("The original file, before any pass, to compare with"),
              cl::value_desc("ORIGINAL"), cl::cat(category));
static cl::opt<bool>
    compare("compare",
            cl::desc("Compare with FILE's own function without its layouts"),
            cl::cat(category));
static cl::opt<std::string>
    expected("expected",
             cl::desc("Compare with what is known to be right: a .npy file for "
                      "each result, in place of a reference"),
             cl::value_desc("r.npy,s.npy"), cl::cat(category));
static cl::opt<std::string> tolerance(
    "tolerance",
    cl::desc("What still passes (default 0: equal bit for bit): an absolute "
             "difference, a share of what is expected, steps between "
             "neighbours, rows whose largest element is in its place; of "
             "several, any"),
    cl::value_desc("X|Xrel|Nulp|top1"), cl::init("0"), cl::cat(category));
static cl::opt<bool> allowNonFinite(
    "allow-non-finite",
    cl::desc("Let results pass that are mostly NaN or infinite on both sides, "
             "of which a comparison shows nothing (implied by "
             "--inputs=special)"),
    cl::cat(category));
static cl::opt<std::string> tiles("tiles",
                                  cl::desc("How tiles run: sequential or, on "
                                           "threads, parallel"),
                                  cl::value_desc("how"), cl::init("sequential"),
                                  cl::cat(category));
static cl::opt<std::string>
    output("output",
           cl::desc("Write results as .npy; several are numbered, r.0.npy ..."),
           cl::value_desc("r.npy"), cl::cat(category));
static cl::list<std::string>
    length("length",
           cl::desc("Extents of the function's dynamic dimensions, or of those "
                    "of one name: one, a range, or several; one compiled "
                    "function runs at each, and at each of a name with each of "
                    "the others"),
           cl::value_desc("[NAME=]N|N..M|N,M"), cl::cat(category));
static cl::opt<unsigned>
    repeat("repeat",
           cl::desc("Number of runs of each side; the fastest is printed"),
           cl::value_desc("N"), cl::init(1), cl::cat(category));
static cl::opt<std::string> target(
    "target",
    cl::desc("The device whose scratchpads the program must fit, instead "
             "of FILE's own"),
    cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string> targetFile(
    "target-file",
    cl::desc(
        "File of JSON with the figures of the device, which FILE describes "
        "from then on, and --compile compiles for"),
    cl::value_desc("FILE"), cl::cat(category));
static cl::opt<bool>
    memoryReport("memory-report",
                 cl::desc("Print the memory that every tile needs, and where"),
                 cl::cat(category));
static cl::opt<std::string>
    device("device",
           cl::desc("The device to run on: NPU, NPU.0, 0, a target's name, "
                    "CPU, HETERO:LIST, AUTO, AUTO:LIST or a list (default: "
                    "npu.device of FILE, NPU_DEVICE, or as FILE is)"),
           cl::value_desc("device"), cl::cat(category));
static cl::opt<bool> strictDevice(
    "strict-device",
    cl::desc("Only the first device counts, and nothing falls back"),
    cl::cat(category));
static cl::opt<bool>
    printDevice("print-device",
                cl::desc("Say on standard error how the device was chosen"),
                cl::cat(category));
static cl::opt<std::string> placementReport(
    "placement-report",
    cl::desc("Print on which device every operation ran and why, and fail "
             "where the run was not as the report says; into a file, as JSON "
             "where it ends in .json"),
    cl::value_desc("file"), cl::ValueOptional, cl::cat(category));
static npu::OptLevelOption optLevel(category, "-O2");

static cl::opt<std::string> compile(
    "compile",
    cl::desc("Compile FILE with these options of npu-compile, and compare with "
             "FILE as it was (or with --reference)"),
    cl::value_desc("options"), cl::ValueOptional, cl::cat(category));

static cl::opt<bool> checksStorage(
    "check-storage",
    cl::desc("Compile FILE in every storage kind, with the options of "
             "--compile, run each and FILE on the CPU, and say where bits, "
             "errors and classes differ; --reference may have other element "
             "types"),
    cl::cat(category));

static cl::opt<int64_t> steps(
    "steps",
    cl::desc("Runs of an artefact with caches after its prompt, each with the "
             "state that the run before has left"),
    cl::value_desc("N"), cl::init(0), cl::cat(category));
static cl::list<int64_t>
    prompt("prompt",
           cl::desc("The words of the prompt, with --steps (default: as many "
                    "as --length says, read or generated)"),
           cl::value_desc("id,id"), cl::CommaSeparated, cl::cat(category));
static cl::opt<std::string>
    sample("sample",
           cl::desc("How a step's word is chosen, with --steps: greedy (the "
                    "largest logit), or none (read or generated)"),
           cl::value_desc("how"), cl::init("none"), cl::cat(category));
static cl::opt<std::string>
    saveState("save-state",
              cl::desc("Write the state to a file at the end of --steps"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    loadState("load-state",
              cl::desc("Begin with a state that --save-state has written"),
              cl::value_desc("file"), cl::cat(category));

static npu::AuditCommandLine auditLine(category);
static npu::RankCommandLine rankLine(category);
static npu::ModelReader reader("npu-run", category);

/// A run compares with something or not; an audit, the check of all storage
/// kinds and the decoding of words have ways of their own to run a function.
static llvm::ArrayRef<npu::OptionReaders> optionReaders() {
  using Names = std::vector<llvm::StringRef>;
  const Names comparisons{"compare", "reference", "expected", "compile",
                          "check-storage"},
      apart{"audit", "check-storage"}, all{"audit", "check-storage", "steps"};
  static const std::vector<npu::OptionReaders> table{
      {"allow-non-finite", comparisons, {"audit", "steps"}},
      {"check-storage", {}, {"audit"}},
      {"compare",
       {},
       {"audit", "check-storage", "compile", "expected", "reference"}},
      {"device", {}, apart},
      {"emit-reproducer", {"audit"}},
      {"expected", {}, all},
      {"format", {"audit"}},
      {"inject-fault", {"audit"}},
      {"length", {}, {"audit", "prompt"}},
      {"load-state", {"steps"}},
      {"memory-report", {}, apart},
      {"mpi", {}, all},
      {"mpi-fault", {"mpi"}},
      {"mpi-report", {"mpi"}},
      {"mpi-timeout", {"mpi"}},
      {"output", {}, all},
      {"output-file", {"audit"}},
      {"placement-report", {}, {"audit", "check-storage", "mpi", "steps"}},
      {"print-device", {}, apart},
      {"prompt", {"steps"}},
      {"reference", {}, {"expected"}},
      {"repeat", {}, apart},
      {"sample", {"steps"}},
      {"save-state", {"steps"}},
      {"seed", {}, {"inputs=iota", "inputs=*.npy"}},
      {"strict-device", {}, apart},
      {"target", {}, {"audit"}},
      {"tiles", {}, {"audit"}},
      {"tolerance", comparisons, {"audit"}},
  };
  return table;
}

static int fail(const llvm::Twine &message) {
  npu::OnePiece piece;
  llvm::WithColor::error(llvm::errs(), "npu-run") << message << "\n";
  return 1;
}

/// Reads lengths like "37", "1..64" or "1,5,9..12" from `least` on.
static npu::Result<> readNumbers(llvm::StringRef text, int64_t least,
                                 std::vector<int64_t> &lengths) {
  llvm::SmallVector<llvm::StringRef> items;
  text.split(items, ',');
  for (llvm::StringRef item : items) {
    auto [first, last] = item.split("..");
    int64_t begin = 0, end = 0;
    bool wrong = first.getAsInteger(10, begin);
    if (item.contains(".."))
      wrong |= last.getAsInteger(10, end);
    else
      end = begin;
    constexpr int64_t most = 1 << 20;
    if (wrong || begin < least || end < begin || end > most)
      return npu::Error{"--length: expected lengths of " +
                        std::to_string(least) + " to " + std::to_string(most) +
                        " as in 37, 1..64 or 1,5,9, got '" + text.str() + "'"};
    for (; begin <= end; ++begin)
      lengths.push_back(begin);
  }
  return npu::Success();
}

/// Reads every --length. There is a run for each choice of one length of each
/// name.
static npu::Result<> readLengths(npu::PromptLengths &lengths) {
  std::vector<std::vector<int64_t>> choices(1);
  for (llvm::StringRef text : length) {
    auto [name, numbers] = text.rsplit('=');
    size_t number = 0;
    if (text.contains('=')) {
      if (name.empty())
        return npu::Error{"--length: expected a name before '=', got '" +
                          text.str() + "'"};
      if (llvm::is_contained(lengths.names, name))
        return npu::Error{"--length: expected lengths of '" + name.str() +
                          "' once, got them twice"};
      lengths.names.push_back(name.str());
      number = lengths.names.size();
      choices.emplace_back();
    } else if (!choices.front().empty()) {
      return npu::Error{"--length: expected lengths without a name once, got "
                        "them twice"};
    } else {
      numbers = text;
    }
    // A cache, which has a name, is empty at the first step.
    int64_t least = number > 0 ? 0 : 1;
    if (npu::Result<> read = readNumbers(numbers, least, choices[number]);
        !read)
      return read;
  }
  lengths.hasOthers = !choices.front().empty();
  if (!lengths.hasOthers)
    choices.front() = {1};
  lengths.runs = {{}};
  constexpr size_t most = 1 << 20;
  for (const std::vector<int64_t> &choice : choices) {
    if (lengths.runs.size() * choice.size() > most)
      return npu::Error{"--length: expected at most " + std::to_string(most) +
                        " choices of lengths, got more"};
    lengths.chooseNext(choice);
  }
  return npu::Success();
}

/// Reads --inputs.
static npu::Result<> readInputs(npu::RunOptions &options) {
  using Kind = npu::InputKind;
  auto kind = llvm::StringSwitch<std::optional<Kind>>(inputs)
                  .Case("random", Kind::Random)
                  .Case("iota", Kind::Iota)
                  .Cases({"integers", "small-integers"}, Kind::Integers)
                  .Case("special", Kind::Special)
                  .Case("normal", Kind::Normal)
                  .Case("positive", Kind::Positive)
                  .Default(std::nullopt);
  if (kind) {
    options.inputs = *kind;
    return npu::Success();
  }
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(inputs).split(names, ',');
  for (llvm::StringRef name : names) {
    if (!name.ends_with(".npy"))
      return npu::Error{"--inputs: expected random, normal, positive, iota, "
                        "small-integers, special or .npy files, got '" +
                        name.str() + "'"};
    options.inputFiles.push_back(name.str());
  }
  return npu::Success();
}

/// Reads --expected.
static npu::Result<> readExpected(npu::RunOptions &options) {
  if (expected.getNumOccurrences() == 0)
    return npu::Success();
  for (llvm::StringRef name : llvm::split(expected.getValue(), ',')) {
    if (!name.ends_with(".npy"))
      return npu::Error{"--expected: expected .npy files, got '" + name.str() +
                        "'"};
    options.expectedFiles.push_back(name.str());
  }
  return npu::Success();
}

/// Reads the options whose values have a syntax of their own.
static npu::Result<> readOptions(npu::RunOptions &options) {
  options.entry = entry;
  options.seed = seed;
  options.output = output;
  options.scratchpad = {target, memoryReport};
  if (device.getNumOccurrences() > 0)
    options.device = device;
  options.strictDevice = strictDevice;
  options.printDevice = printDevice;
  if (placementReport.getNumOccurrences() > 0)
    options.placementReport =
        placementReport.empty() ? "-" : placementReport.getValue();
  if (repeat == 0)
    return npu::Error{"--repeat: expected at least 1, got 0"};
  options.repeat = repeat;
  if (npu::Result<> checked = readInputs(options); !checked)
    return checked;
  if (npu::Result<> checked = readExpected(options); !checked)
    return checked;
  options.allowNonFinite =
      allowNonFinite || options.inputs == npu::InputKind::Special;
  if (length.getNumOccurrences())
    if (npu::Result<> checked = readLengths(options.lengths); !checked)
      return checked;
  if (options.lengths.runs.size() > 1 && repeat.getNumOccurrences() > 0)
    return npu::Error{"--repeat needs exactly one --length, got " +
                      std::to_string(options.lengths.runs.size())};
  auto parsed = npu::parseTolerance(tolerance);
  if (!parsed)
    return parsed.error();
  options.tolerance = *parsed;
  auto level = optLevel.level();
  if (!level)
    return level.error();
  options.optLevel = *level;
  if (entry.getNumOccurrences() > 0 && entry.empty())
    return npu::Error{"--entry: expected a function, got no name"};
  if (target.getNumOccurrences() > 0 && target.empty())
    return npu::Error{
        "--target: expected the name of a target, got none; there are " +
        npu::builtinTargetNames() + " and the module's own"};
  if (targetFile.getNumOccurrences() > 0 && targetFile.empty())
    return npu::Error{"--target-file: expected a file, got no name"};
  if (!targetFile.empty() && target.getNumOccurrences() > 0)
    return npu::Error{"--target-file: expected no --target beside it, got '" +
                      target + "'"};
  if (reference.getNumOccurrences() > 0 && reference.empty())
    return npu::Error{"--reference: expected a file, got no name"};
  if (output.getNumOccurrences() > 0 && output.empty())
    return npu::Error{"--output: expected a file, got no name"};
  if (checksStorage && options.lengths.runs.size() > 1)
    return npu::Error{"--check-storage: expected one --length, got " +
                      std::to_string(options.lengths.runs.size())};
  if (tiles != "sequential" && tiles != "parallel")
    return npu::Error{"--tiles: expected sequential or parallel, got '" +
                      tiles + "'"};
  if (tiles == "parallel")
    options.threads = npu::TileThreads::Many;
  return npu::Success();
}

/// Refuses to write over what is read. Where results go is checked as soon as
/// it is known how many there are.
static npu::Result<> checkFiles(const npu::RunOptions &options) {
  npu::noteInput("the model", file);
  npu::noteInput("--reference", reference);
  npu::noteInput("--target-file", targetFile);
  for (const std::string &input : options.inputFiles)
    npu::noteInput("one of --inputs", input);
  for (const std::string &each : options.expectedFiles)
    npu::noteInput("one of --expected", each);
  if (npu::Result<> checked =
          npu::checkOutputs({{"--placement-report", options.placementReport}});
      !checked)
    return checked;
  return auditLine.checkFiles();
}

static mlir::LogicalResult refuse(const llvm::Twine &message) {
  fail("--compile: " + message);
  return mlir::failure();
}

/// The options of --compile, which compile to tiles unless they say otherwise.
static mlir::FailureOr<npu::CompileOptions> compileOptions() {
  npu::CompileOptions byDefault;
  byDefault.to = npu::nameOfPhase(npu::CompilePhase::Tiles).str();
  auto options = npu::parseCompileOptions(compile, refuse, byDefault);
  if (mlir::succeeded(options) && !targetFile.empty() &&
      (options->target || !options->targetFile.empty()))
    return refuse("expected no target beside --target-file, got '" +
                  options->target.value_or(options->targetFile) + "'");
  return options;
}

/// Describes the device of --target-file in the module.
static mlir::LogicalResult takeTargetFile(mlir::ModuleOp module) {
  if (targetFile.empty())
    return mlir::success();
  mlir::PassManager passes(module.getContext());
  passes.addPass(npu::createSetTarget({/*target=*/"", targetFile}));
  return passes.run(module);
}

/// Runs FILE in every storage kind.
static int checkEveryStorage(mlir::OwningOpRef<mlir::ModuleOp> module,
                             const npu::RunOptions &options) {
  auto compiled = compileOptions();
  if (mlir::failed(compiled))
    return 1;
  if (compiled->assignment.storage != "auto")
    return fail("--check-storage: expected no storage= in --compile, of which "
                "every kind is tried, got storage=" +
                compiled->assignment.storage);
  auto last = npu::findPhase(compiled->to);
  if (last && *last > npu::CompilePhase::Tiles)
    return fail("--check-storage: expected compile-to=tiles or an earlier "
                "phase, after which images can be counted, got compile-to=" +
                compiled->to);
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> other;
  if (!reference.empty()) {
    other = reader.read(reference, sources, *module->getContext());
    if (!other)
      return 1;
  }
  return mlir::failed(npu::checkStorage(std::move(module), std::move(other),
                                        *compiled, options, llvm::outs()));
}

/// Compiles the module as --compile says.
static mlir::LogicalResult compileAsAsked(mlir::ModuleOp module) {
  auto options = compileOptions();
  if (mlir::failed(options))
    return mlir::failure();
  mlir::PassManager passes(module.getContext());
  if (mlir::failed(npu::buildCompile(passes, *options, refuse)))
    return mlir::failure();
  npu::keepIrForBundle(passes);
  return passes.run(module);
}

/// The module that FILE is compared with; null, after an error message, where
/// there is none.
static mlir::OwningOpRef<mlir::ModuleOp> referenceOf(mlir::ModuleOp module,
                                                     llvm::SourceMgr &sources,
                                                     llvm::raw_ostream &notes) {
  mlir::MLIRContext &context = *module.getContext();
  if (!reference.empty())
    return reader.read(reference, sources, context);
  switch (npu::phaseOf(module)) {
  case npu::CompilePhase::Tiles:
    fail("--compare: expected a file with layouts, got a tile program, which "
         "cannot be undone; give the original with --reference");
    return nullptr;
  case npu::CompilePhase::Scratchpad:
    fail("--compare: expected a file with layouts, got a program on buffers, "
         "which cannot be undone; give the original with --reference");
    return nullptr;
  case npu::CompilePhase::Start:
    llvm::WithColor::note(notes)
        << "there are no layouts to strip: both sides are the same function\n";
    break;
  default:
    llvm::WithColor::note(notes)
        << "compared with the same file without its layouts, which cannot show "
           "what legalization did wrong; --reference=ORIGINAL can\n";
    break;
  }
  return module.clone();
}

/// Whether FILE is an artefact, by its first bytes.
static bool isArtefact() {
  // What is read of a pipe is gone.
  if (file == "-" || !llvm::sys::fs::is_regular_file(file))
    return false;
  auto begin = llvm::MemoryBuffer::getFileSlice(file, 8, 0);
  return begin && npu::isContainer((*begin)->getBuffer());
}

/// Reads the options of decoding.
static npu::Result<> readDecoding(npu::DecodeOptions &decode) {
  constexpr int64_t most = 1 << 20;
  if (steps < 0 || steps > most)
    return npu::Error{"--steps: expected 0 to " + std::to_string(most) +
                      " steps, got " + std::to_string(steps)};
  if (sample != "greedy" && sample != "none")
    return npu::Error{"--sample: expected greedy or none, got '" + sample +
                      "'"};
  decode.steps = steps;
  decode.prompt.assign(prompt.begin(), prompt.end());
  decode.isGreedy = sample == "greedy";
  decode.saveState = saveState;
  decode.loadState = loadState;
  return npu::Success();
}

/// Runs an artefact.
static int runArtefact(npu::RunOptions &options, mlir::MLIRContext &context) {
  if (compare)
    return fail(
        "--compare: expected a file with layouts, got an artefact; give "
        "the model with --reference");
  if (compile.getNumOccurrences() > 0)
    return fail(
        "--compile: expected IR or an ONNX model, got an artefact, which "
        "is compiled");
  if (checksStorage)
    return fail("--check-storage: expected IR or an ONNX model, got an "
                "artefact, which is compiled");
  if (auditLine.audit)
    return fail("--audit: expected IR, got an artefact, which has no whole "
                "operations");
  if (memoryReport)
    return fail("--memory-report: expected IR, got an artefact, whose plan "
                "npu-inspect --section=scratchpad prints");
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &targetFile, &device, &strictDevice, &printDevice})
    if (option->getNumOccurrences() > 0)
      return fail("--" + option->ArgStr +
                  ": expected IR, got an artefact, "
                  "which is compiled for its device");
  if (options.optLevel && reference.empty())
    return fail("-O: expected IR, got an artefact, which is machine code");
  npu::Result<npu::Artefact> artefact = npu::openArtefact(file);
  if (!artefact)
    return fail(artefact.error().message);
  if (tiles.getNumOccurrences() > 0 &&
      artefact->header.parallel != (tiles == "parallel"))
    return fail(llvm::Twine("--tiles: expected ") +
                (artefact->header.parallel ? "parallel" : "sequential") +
                ", for which " + file + " was compiled, got " + tiles);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> other;
  if (!reference.empty()) {
    other = reader.read(reference, sources, context);
    if (!other)
      return 1;
  }
  if (mlir::failed(reader.verifyOptions()))
    return 1;
  if (steps.getNumOccurrences() > 0) {
    npu::DecodeOptions decode;
    if (npu::Result<> read = readDecoding(decode); !read)
      return fail(read.error().message);
    return mlir::failed(npu::decodeArtefact(std::move(*artefact), file,
                                            std::move(other), context, options,
                                            decode, llvm::outs()));
  }
  return mlir::failed(npu::runArtefactAndCompare(std::move(*artefact), file,
                                                 std::move(other), context,
                                                 options, llvm::outs()));
}

/// Runs FILE, whatever it is.
static int runFile(npu::RunOptions &options,
                   const npu::AuditOptions &auditOptions,
                   mlir::MLIRContext &context) {
  if (isArtefact()) {
    if (options.ranks)
      return fail("--mpi: expected IR or an ONNX model, got an artefact, whose "
                  "machine code is for all tiles");
    return runArtefact(options, context);
  }
  if (steps.getNumOccurrences() > 0)
    return fail(
        "--steps: expected an artefact, which keeps its state from run to "
        "run, got a model: compile it with npu-compile");
  llvm::SourceMgr sources, referenceSources;
  npu::RankDiagnostics handler(sources, context, options.ranks);
  auto module = reader.read(file, sources, context);
  if (!module || mlir::failed(takeTargetFile(*module)))
    return 1;
  if (checksStorage)
    return mlir::failed(reader.verifyOptions())
               ? 1
               : checkEveryStorage(std::move(module), options);
  mlir::OwningOpRef<mlir::ModuleOp> other;
  bool compiles = compile.getNumOccurrences() > 0;
  // Of several ranks, the first compares; generated inputs may depend on what
  // the reference uses them for, so that all of them have it.
  bool compares = !options.ranks || options.ranks->isFirst();
  if (compare || !reference.empty()) {
    other = referenceOf(*module, referenceSources,
                        compares ? llvm::outs() : llvm::nulls());
    if (!other)
      return 1;
  } else if (compiles && options.expectedFiles.empty()) {
    other = module->clone();
  }
  if (mlir::failed(reader.verifyOptions()) ||
      (compiles && mlir::failed(compileAsAsked(*module))))
    return 1;
  if (auditLine.audit)
    return mlir::failed(npu::audit(std::move(module), std::move(other), options,
                                   auditOptions, llvm::outs()));
  return mlir::failed(npu::runAndCompare(std::move(module), std::move(other),
                                         options, llvm::outs()));
}

int npu::runMain(int argc, char **argv, RegisterMore more) {
  // A bundle runs the command anew, which mpirun has begun on all ranks.
  if (npu::GivenOptions given(argc, argv);
      given.has("mpi") && given.has("emit-bundle"))
    return fail("--mpi: expected no --emit-bundle beside it");
  if (std::optional<int> code = runWithBundle("npu-run", argc, argv))
    return *code;
  addBundleOptions(category);
  cl::HideUnrelatedOptions(category);
  npu::setFatalErrorHandlers("npu-run");
  npu::setVersionPrinter("npu-run");
  cl::ParseCommandLineOptions(
      argc, argv, "Runs a function before and after distribution\n");
  npu::RunOptions options;
  if (npu::Result<> read = npu::checkOptionReaders(
          optionReaders(), npu::GivenOptions(argc, argv));
      !read)
    return fail(read.error().message);
  if (npu::Result<> read = readOptions(options); !read)
    return fail(read.error().message);
  npu::AuditOptions auditOptions;
  if (npu::Result<> read = auditLine.read(auditOptions); !read)
    return fail(read.error().message);
  if (npu::Result<> checked = checkFiles(options); !checked)
    return fail(checked.error().message);

  // Files as exporters write them have operations of many dialects around what
  // is run.
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  npu::registerDialects(registry);
  npu::registerExecutionInterfaces(registry);
  npu::registerAllPasses();
  more(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (npu::Result<> joined = rankLine.join(file, options); !joined)
    return fail(joined.error().message);
  return rankLine.leave(runFile(options, auditOptions, context));
}
