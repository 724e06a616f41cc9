// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileCommandLine.h"

#include "npu/Compilation/CompilationCache.h"
#include "npu/Report/Report.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/OptLevelOption.h"
#include "npu/Tools/PrintTargetOption.h"
#include "npu/Tools/Version.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <fmt/format.h>

#include <deque>

namespace cl = llvm::cl;

namespace npu {
namespace {

cl::OptionCategory category("npu-compile options");

cl::opt<std::string> file(cl::Positional, cl::desc("MODEL, IR or ONNX"),
                          cl::init("-"), cl::cat(category));
cl::opt<std::string> output("o",
                            cl::desc("The artefact (default: the model's name "
                                     "with .npub)"),
                            cl::value_desc("model.npub"), cl::cat(category));
cl::opt<std::string> placementReport(
    "placement-report",
    cl::desc("Print on which device every operation runs and why; into a file, "
             "as JSON where it ends in .json"),
    cl::value_desc("file"), cl::ValueOptional, cl::cat(category));
cl::opt<std::string>
    report("report",
           cl::desc("Write summary.txt, layers.csv and report.json into this "
                    "directory: how long a run takes on the device, as it is "
                    "modelled, and which layers take it"),
           cl::value_desc("DIR"), cl::cat(category));
cl::opt<int64_t> promptLen(
    "prompt-len",
    cl::desc("Compile for prompts of this length: for the smallest "
             "length of --max-prompt-len that it fits. All prompts of "
             "one such length have one artefact"),
    cl::value_desc("N"), cl::cat(category));
cl::opt<std::string> tiles("tiles",
                           cl::desc("How tiles run: sequential or, on threads, "
                                    "parallel"),
                           cl::value_desc("how"), cl::init("sequential"),
                           cl::cat(category));
OptLevelOption optLevel(category, "-O2");
PrintTargetOption printTarget(category);
cl::opt<std::string>
    weights("weights",
            cl::desc("Where weights go: inside (default) or apart, into a file "
                     "beside the artefact with .weights"),
            cl::value_desc("where"), cl::init("inside"), cl::cat(category));
cl::opt<std::string>
    cacheDir("cache-dir",
             cl::desc("Keep artefacts in this directory, and take them from "
                      "there (default: $NPU_CACHE_DIR; without it nothing is "
                      "kept)"),
             cl::value_desc("DIR"), cl::cat(category));
cl::opt<std::string>
    cacheLimit("cache-limit",
               cl::desc("Remove artefacts that were used least recently from "
                        "the cache until they take at most so many bytes"),
               cl::value_desc("10G"), cl::cat(category));
cl::opt<bool>
    cacheVerify("cache-verify",
                cl::desc("Compile also where the cache has the artefact, and "
                         "compare every byte"),
                cl::cat(category));
cl::opt<bool>
    trustCache("trust-cache",
               cl::desc("Take entries that other users have written, or may "
                        "have: code that runs with the rights of this user"),
               cl::cat(category));

/// Makes options of the command line of those that the pipeline has, too. They
/// write into what they are bound to, which has to be there until they are
/// gone.
class Binder {
public:
  void bind(const std::vector<BoundOption> &all) {
    for (const BoundOption &each : all)
      if (!each.toolName.empty())
        std::visit([&](auto *value) { bind(each, value); }, each.value);
  }

private:
  template <typename Option, typename... More>
  void add(const BoundOption &each, More &&...more) {
    std::string &help = descriptions.emplace_back(each.help);
    help[0] = llvm::toUpper(help[0]);
    options.push_back(std::make_unique<Option>(
        llvm::StringRef(each.toolName), cl::desc(help),
        cl::value_desc(each.placeholder), cl::cat(category),
        std::forward<More>(more)...));
  }
  template <typename T>
  void bind(const BoundOption &each, T *value) {
    add<cl::opt<T>>(each, cl::callback([=](const T &text) { *value = text; }),
                    cl::init(*value));
  }
  template <typename T>
  void bind(const BoundOption &each, std::optional<T> *value) {
    add<cl::opt<T>>(each, cl::callback([=](const T &text) { *value = text; }));
  }
  void bind(const BoundOption &each, llvm::SmallVector<int64_t> *values) {
    add<cl::list<int64_t>>(each, cl::callback([=](const int64_t &value) {
                             values->push_back(value);
                           }),
                           cl::CommaSeparated);
  }

  /// What the options say of themselves, which they refer to.
  std::deque<std::string> descriptions;
  std::vector<std::unique_ptr<cl::Option>> options;
};

/// Leaves of the lengths of --max-prompt-len the one that --prompt-len falls
/// into.
Result<> readPromptLengths(CompileCommandLine &options) {
  llvm::SmallVector<int64_t> &lengths = options.compile.padding.maxPromptLen;
  if (promptLen.getNumOccurrences() > 0) {
    std::optional<int64_t> best;
    for (int64_t length : lengths)
      if (length >= promptLen && (!best || length < *best))
        best = length;
    if (promptLen < 1 || !best)
      return Error{
          fmt::format("--prompt-len: expected a length from 1 to {}, the "
                      "largest of --max-prompt-len, got {}",
                      *llvm::max_element(lengths), promptLen.getValue())};
    lengths = {*best};
  }
  for (int64_t length : lengths)
    if (length < 1 || length > (1 << 20))
      return Error{
          fmt::format("--max-prompt-len: expected lengths from 1 to {}, got "
                      "{}",
                      1 << 20, length)};
  return Success();
}

Result<> readPipelineOptions(CompileCommandLine &options) {
  CompileOptions &compile = options.compile;
  if (compile.function && compile.function->empty())
    return Error{"--entry: expected a function, got no name"};
  if (compile.target && compile.target->empty())
    return Error{
        "--target: expected the name of a target, got none; there are " +
        builtinTargetNames() + " and the module's own"};
  if (compile.target && !compile.targetFile.empty())
    return Error{"--target-file: expected no --target beside it, got '" +
                 *compile.target + "'"};
  if (auto unread = findUnread(compile, /*isCommandLine=*/true))
    return Error{*unread};
  if (Result<> checked = readPromptLengths(options); !checked)
    return checked;
  // The header of an artefact is JSON.
  for (const BoundOption &each : boundOptions(compile)) {
    auto *text = std::get_if<std::string *>(&each.value);
    auto *given = std::get_if<std::optional<std::string> *>(&each.value);
    if ((text && !llvm::json::isUTF8(**text)) ||
        (given && *given && **given && !llvm::json::isUTF8(***given)))
      return Error{fmt::format("--{}: expected UTF-8", each.toolName.str())};
  }
  return Success();
}

Result<> readCacheOptions(CompileCommandLine &options) {
  options.cacheDirectory = cacheDir;
  if (cacheDir.getNumOccurrences() == 0)
    options.cacheDirectory =
        llvm::sys::Process::GetEnv(cacheVariable).value_or("");
  options.cacheVerify = cacheVerify;
  if (options.cacheVerify && options.cacheDirectory.empty())
    return Error{"--cache-verify: expected a cache (--cache-dir=DIR)"};
  options.trustsCache = trustCache;
  if (options.trustsCache && options.cacheDirectory.empty())
    return Error{"--trust-cache: expected a cache (--cache-dir=DIR)"};
  if (cacheLimit.getNumOccurrences() == 0)
    return Success();
  if (options.cacheDirectory.empty())
    return Error{"--cache-limit: expected a cache (--cache-dir=DIR)"};
  auto bytes = parseBytes(cacheLimit);
  if (!bytes)
    return Error{
        fmt::format("--cache-limit: expected bytes as in 4096, 512K, 100M or "
                    "10G, got '{}'",
                    cacheLimit.getValue())};
  options.cacheLimit = *bytes;
  return Success();
}

/// model.npub for model.mlir.
std::string withExtension(const std::string &path, const char *extension) {
  llvm::SmallString<128> named(path);
  llvm::sys::path::replace_extension(named, extension);
  return named.str().str();
}

Result<> readOutputs(CompileCommandLine &options) {
  options.file = file;
  options.output = output;
  if (output.getNumOccurrences() == 0) {
    if (file == "-")
      return Error{"expected -o model.npub for a model from standard input"};
    options.output = withExtension(file, ".npub");
  }
  if (options.output.empty())
    return Error{"-o: expected a file, got no name"};
  if (weights != "inside" && weights != "apart")
    return Error{"--weights: expected inside or apart, got '" + weights + "'"};
  if (weights == "apart") {
    if (options.output == "-")
      return Error{
          "--weights=apart: expected a file beside which the weights can "
          "lie, got standard output"};
    options.weightsFile = withExtension(options.output, ".weights");
    if (!llvm::json::isUTF8(options.weightsFile))
      return Error{"--weights=apart: expected an artefact whose name is UTF-8"};
  }
  return Success();
}

/// Refuses outputs that are inputs or other outputs, and inputs that the cache
/// would remove as entries of its own.
Result<> checkFiles(CompileCommandLine &options) {
  std::vector<NamedFile> inputs{{"the model", options.file}};
  for (const auto &[option, path] : options.files())
    inputs.push_back({"--" + option, path});
  if (!options.compile.targetFile.empty())
    inputs.push_back({"--target-file", options.compile.targetFile});
  for (const auto &[name, path] : inputs) {
    noteInput(name, path);
    if (!options.cacheDirectory.empty() &&
        CompilationCache::isEntryOf(options.cacheDirectory, path))
      return Error{
          fmt::format("--cache-dir: expected {} to have another name than "
                      "those of entries in {}, got '{}'",
                      name, options.cacheDirectory, path)};
  }
  return checkOutputs({{"-o", options.output},
                       {"--weights=apart", options.weightsFile},
                       {"--placement-report", options.placementReport},
                       {"--cache-dir", options.cacheDirectory}});
}

} // namespace

std::optional<uint64_t> parseBytes(const std::string &text) {
  llvm::StringRef digits = text;
  uint64_t factor = 1;
  constexpr llvm::StringLiteral units = "KMGT";
  if (size_t unit =
          units.find(llvm::toUpper(digits.empty() ? ' ' : digits.back()));
      unit != llvm::StringRef::npos) {
    factor = uint64_t(1) << (10 * (unit + 1));
    digits = digits.drop_back();
  }
  uint64_t number = 0;
  bool overflow = false;
  if (digits.getAsInteger(10, number) || number == 0)
    return std::nullopt;
  uint64_t bytes = llvm::SaturatingMultiply(number, factor, &overflow);
  return overflow ? std::nullopt : std::optional(bytes);
}

cl::OptionCategory &compileCategory() { return category; }

std::map<std::string, std::string> CompileCommandLine::files() const {
  std::map<std::string, std::string> all;
  if (!compile.precision.overrides.empty())
    all["precision-overrides"] = compile.precision.overrides;
  if (!compile.kernels.empty())
    all["kernels"] = compile.kernels;
  return all;
}

Result<CompileCommandLine> parseCompileCommandLine(int argc, char **argv) {
  CompileCommandLine options;
  static Binder binder;
  binder.bind(boundOptions(options.compile));
  cl::HideUnrelatedOptions(category);
  addBundleOptions(category);
  setFatalErrorHandlers("npu-compile");
  setVersionPrinter("npu-compile");
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a model to an artefact that npu-run runs\n");
  const OptionReaders readers[] = {{"prompt-len", {"max-prompt-len"}},
                                   {"target", {}, {"print-target=*"}}};
  GivenOptions given(argc, argv);
  Result<> read = checkAlone("print-target", {"target"}, given);
  if (read)
    read = checkOptionReaders(readers, given);
  if (!read)
    return read.error();
  if (printTarget.isGiven()) {
    // --print-target npu4000: the parser takes the name for the model.
    Result<std::string> text = printTarget.file(
        options.compile.target.value_or(file == "-" ? "" : file.getValue()));
    if (!text)
      return text.error();
    options.onlyPrints = *text;
    return options;
  }
  if (placementReport.getNumOccurrences() > 0)
    options.placementReport =
        placementReport.empty() ? "-" : placementReport.getValue();
  options.reportDirectory = report;
  // A long compilation does not end with a wrong name.
  if (report.getNumOccurrences() > 0)
    if (Result<> checked = checkReportDirectory("--report", report); !checked)
      return checked.error();
  if (tiles != "sequential" && tiles != "parallel")
    return Error{"--tiles: expected sequential or parallel, got '" + tiles +
                 "'"};
  if (tiles == "parallel")
    options.threads = TileThreads::Many;
  Result<std::optional<unsigned>> level = optLevel.level();
  if (!level)
    return level.error();
  options.optLevel = level->value_or(defaultOptLevel);
  for (auto *read :
       {readOutputs, readPipelineOptions, readCacheOptions, checkFiles})
    if (Result<> done = read(options); !done)
      return done.error();
  return options;
}

} // namespace npu
