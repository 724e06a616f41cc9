// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileOptions.h"

#include "npu/Compilation/CompilationCache.h"
#include "npu/Support/InputFiles.h"
#include "npu/Tools/OutOfMemory.h"
#include "npu/Tools/Version.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <fmt/format.h>

namespace cl = llvm::cl;

namespace npu {
namespace {

cl::OptionCategory category("npu-compile options");

cl::opt<std::string> file(cl::Positional, cl::desc("MODEL"), cl::init("-"),
                          cl::cat(category));
cl::opt<std::string> output("o",
                            cl::desc("The artefact (default: the model's name "
                                     "with .npub)"),
                            cl::value_desc("model.npub"), cl::cat(category));
cl::opt<std::string> entry(
    "entry",
    cl::desc("The function to compile, with what it calls (default: main, "
             "or else the only public function, or the only one)"),
    cl::value_desc("name"), cl::cat(category));
cl::opt<std::string> target("target",
                            cl::desc("The device, instead of the module's own"),
                            cl::value_desc("name"), cl::cat(category));
cl::opt<std::string>
    device("device",
           cl::desc("NPU, NPU.0, 0, a target's name, CPU, HETERO:LIST, AUTO, "
                    "AUTO:LIST or a list (default: npu.device of MODEL, "
                    "NPU_DEVICE, HETERO:NPU,CPU)"),
           cl::value_desc("device"), cl::cat(category));
cl::opt<bool> strictDevice(
    "strict-device",
    cl::desc("Only the first device counts, and nothing falls back"),
    cl::cat(category));
cl::opt<bool>
    printDevice("print-device",
                cl::desc("Say on standard error how the device was chosen"),
                cl::cat(category));
cl::opt<std::string> placementReport(
    "placement-report",
    cl::desc("Print on which device every operation runs and why; into a file, "
             "as JSON where it ends in .json"),
    cl::value_desc("file"), cl::ValueOptional, cl::cat(category));
cl::list<int64_t>
    maxPromptLen("max-prompt-len",
                 cl::desc("Pad prompt dimensions to this length, or to the "
                          "smallest of several that fits"),
                 cl::value_desc("N,M"), cl::CommaSeparated, cl::cat(category));
cl::opt<int64_t> promptLen(
    "prompt-len",
    cl::desc("Compile for prompts of this length: for the smallest "
             "length of --max-prompt-len that it fits. All prompts of "
             "one such length have one artefact"),
    cl::value_desc("N"), cl::cat(category));
cl::opt<std::string> side("side",
                          cl::desc("Where padding goes: right (real part "
                                   "first) or left"),
                          cl::value_desc("side"), cl::cat(category));
cl::opt<std::string>
    strategy("strategy",
             cl::desc("How layouts are chosen: least, greedy, beam, duplicate "
                      "or rows"),
             cl::value_desc("name"), cl::cat(category));
cl::opt<int64_t> tileCount("tile-count",
                           cl::desc("Number of tiles (default: as many as the "
                                    "target uses)"),
                           cl::value_desc("N"), cl::cat(category));
cl::opt<std::string>
    splitReductions("split-reductions",
                    cl::desc("Whether sums may be added up in parts: true or "
                             "false"),
                    cl::value_desc("bool"), cl::cat(category));
cl::opt<std::string>
    policy("policy",
           cl::desc("Types of operations that lose their result in short "
                    "floats: accuracy or performance (default: as they are)"),
           cl::value_desc("name"), cl::cat(category));
cl::opt<std::string>
    overrides("precision-overrides",
              cl::desc("A file that says types of operations by location"),
              cl::value_desc("FILE"), cl::cat(category));
cl::opt<std::string>
    distances("distances", cl::desc("Under --policy=accuracy: norms or direct"),
              cl::value_desc("form"), cl::cat(category));
cl::opt<std::string>
    softmax("softmax",
            cl::desc("Under --policy=accuracy: keep or subtract-maximum"),
            cl::value_desc("form"), cl::cat(category));
cl::opt<std::string> tiles("tiles",
                           cl::desc("How tiles run: sequential or, on threads, "
                                    "parallel"),
                           cl::value_desc("how"), cl::init("sequential"),
                           cl::cat(category));
cl::opt<std::string>
    optLevel("O",
             cl::desc("-O0 to -O3; no level changes a bit (default: chosen by "
                      "the size of the program)"),
             cl::value_desc("N"), cl::Prefix, cl::cat(category));
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

/// Appends an option of the pipeline, whose text is parsed more than once.
std::string addPipelineOption(CompileToolOptions &options,
                              const std::string &name, std::string value) {
  // Two options are spelt otherwise by this tool.
  llvm::StringRef own = llvm::StringSwitch<llvm::StringRef>(name)
                            .Case("function", "entry")
                            .Case("tiles", "tile-count")
                            .Default(name);
  if (value.find_first_of("\"'{}") != std::string::npos)
    return fmt::format("--{}: expected no quote and no brace, got '{}'",
                       own.str(), value);
  // The header of an artefact is JSON.
  if (!llvm::json::isUTF8(value))
    return fmt::format("--{}: expected UTF-8", own.str());
  if (value.find_first_of(" \t\n=") != std::string::npos)
    return fmt::format("--{}: expected no space and no '=', got '{}'",
                       own.str(), value);
  options.pipeline.emplace_back(name, std::move(value));
  return "";
}

/// The lengths of --max-prompt-len, or the one that --prompt-len falls into.
std::string readPromptLengths(CompileToolOptions &options) {
  std::vector<int64_t> lengths(maxPromptLen.begin(), maxPromptLen.end());
  if (promptLen.getNumOccurrences() > 0) {
    if (lengths.empty())
      return "--prompt-len: expected --max-prompt-len beside it, which says "
             "what prompts are padded to";
    std::optional<int64_t> best;
    for (int64_t length : lengths)
      if (length >= promptLen && (!best || length < *best))
        best = length;
    if (promptLen < 1 || !best)
      return fmt::format("--prompt-len: expected a length from 1 to {}, the "
                         "largest of --max-prompt-len, got {}",
                         *llvm::max_element(lengths), promptLen.getValue());
    lengths = {*best};
  }
  for (int64_t length : lengths)
    if (length < 1 || length > (1 << 20))
      return fmt::format("--max-prompt-len: expected lengths from 1 to {}, got "
                         "{}",
                         1 << 20, length);
  options.promptLengths = lengths;
  if (lengths.empty())
    return "";
  std::string text;
  for (int64_t length : lengths)
    text += (text.empty() ? "" : ",") + std::to_string(length);
  return addPipelineOption(options, "max-prompt-len", text);
}

std::string readPipelineOptions(CompileToolOptions &options) {
  if (entry.getNumOccurrences() > 0 && entry.empty())
    return "--entry: expected a function, got no name";
  if (target.getNumOccurrences() > 0 && target.empty())
    return "--target: expected the name of a target, got none; there are " +
           builtinTargetNames() + " and the module's own";
  if (tileCount.getNumOccurrences() > 0 && tileCount < 1)
    return fmt::format("--tile-count: expected at least 1, got {}",
                       tileCount.getValue());
  const std::pair<const char *, cl::opt<std::string> *> named[] = {
      {"function", &entry},
      {"target", &target},
      {"side", &side},
      {"strategy", &strategy},
      {"split-reductions", &splitReductions},
      {"policy", &policy},
      {"distances", &distances},
      {"softmax", &softmax},
      {"precision-overrides", &overrides}};
  for (auto [name, option] : named)
    if (option->getNumOccurrences() > 0)
      if (std::string message = addPipelineOption(options, name, *option);
          !message.empty())
        return message;
  if (overrides.getNumOccurrences() > 0)
    options.files["precision-overrides"] = overrides;
  if (tileCount.getNumOccurrences() > 0)
    if (std::string message = addPipelineOption(
            options, "tiles", std::to_string(tileCount.getValue()));
        !message.empty())
      return message;
  return readPromptLengths(options);
}

std::string readCacheOptions(CompileToolOptions &options) {
  options.cacheDirectory = cacheDir;
  if (cacheDir.getNumOccurrences() == 0)
    options.cacheDirectory =
        llvm::sys::Process::GetEnv(cacheVariable).value_or("");
  options.cacheVerify = cacheVerify;
  if (options.cacheVerify && options.cacheDirectory.empty())
    return "--cache-verify: expected a cache (--cache-dir=DIR)";
  options.trustsCache = trustCache;
  if (options.trustsCache && options.cacheDirectory.empty())
    return "--trust-cache: expected a cache (--cache-dir=DIR)";
  if (cacheLimit.getNumOccurrences() == 0)
    return "";
  if (options.cacheDirectory.empty())
    return "--cache-limit: expected a cache (--cache-dir=DIR)";
  auto bytes = parseBytes(cacheLimit);
  if (!bytes)
    return fmt::format(
        "--cache-limit: expected bytes as in 4096, 512K, 100M or "
        "10G, got '{}'",
        cacheLimit.getValue());
  options.cacheLimit = *bytes;
  return "";
}

/// model.npub for model.mlir.
std::string withExtension(const std::string &path, const char *extension) {
  llvm::SmallString<128> named(path);
  llvm::sys::path::replace_extension(named, extension);
  return named.str().str();
}

std::string readOutputs(CompileToolOptions &options) {
  options.file = file;
  options.output = output;
  if (output.getNumOccurrences() == 0) {
    if (file == "-")
      return "expected -o model.npub for a model from standard input";
    options.output = withExtension(file, ".npub");
  }
  if (options.output.empty())
    return "-o: expected a file, got no name";
  if (weights != "inside" && weights != "apart")
    return "--weights: expected inside or apart, got '" + weights + "'";
  if (weights == "apart") {
    if (options.output == "-")
      return "--weights=apart: expected a file beside which the weights can "
             "lie, got standard output";
    options.weightsFile = withExtension(options.output, ".weights");
    if (!llvm::json::isUTF8(options.weightsFile))
      return "--weights=apart: expected an artefact whose name is UTF-8";
  }
  return "";
}

/// Refuses outputs that are inputs or other outputs, and inputs that the cache
/// would remove as entries of its own.
std::string checkFiles(CompileToolOptions &options) {
  std::vector<NamedFile> inputs{{"the model", options.file}};
  for (const auto &[option, path] : options.files)
    inputs.push_back({"--" + option, path});
  for (const auto &[name, path] : inputs) {
    noteInput(name, path);
    if (!options.cacheDirectory.empty() &&
        CompilationCache::isEntryOf(options.cacheDirectory, path))
      return fmt::format("--cache-dir: expected {} to have another name than "
                         "those of entries in {}, got '{}'",
                         name, options.cacheDirectory, path);
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

std::string parseCompileOptions(int argc, char **argv,
                                CompileToolOptions &options) {
  cl::HideUnrelatedOptions(category);
  setOutOfMemoryHandler("npu-compile");
  setVersionPrinter("npu-compile");
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a model to an artefact that npu-run runs\n");
  options.entry = entry;
  options.target = target;
  if (device.getNumOccurrences() > 0)
    options.device = device;
  options.strictDevice = strictDevice;
  options.printDevice = printDevice;
  if (placementReport.getNumOccurrences() > 0)
    options.placementReport =
        placementReport.empty() ? "-" : placementReport.getValue();
  if (tiles != "sequential" && tiles != "parallel")
    return "--tiles: expected sequential or parallel, got '" + tiles + "'";
  if (tiles == "parallel")
    options.threads = TileThreads::Many;
  if (optLevel.getNumOccurrences() > 0) {
    if (optLevel.size() != 1 || optLevel[0] < '0' || optLevel[0] > '3')
      return "expected -O0, -O1, -O2 or -O3, got -O" + optLevel;
    options.optLevel = optLevel[0] - '0';
  }
  for (auto *read :
       {readOutputs, readPipelineOptions, readCacheOptions, checkFiles})
    if (std::string message = read(options); !message.empty())
      return message;
  return "";
}

} // namespace npu
