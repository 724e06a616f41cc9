// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions and layouts, and compares the results of the compiled
// functions with those of the originals.

#include "npu-fuzz/FuzzMain.h"
#include "npu-fuzz/Campaign.h"
#include "npu-fuzz/Recipes/FuzzExtension.h"
#include "npu/InitAllPasses.h"
#include "npu/Tools/OptLevelOption.h"
#include "npu/Tools/OutOfMemory.h"
#include "npu/Tools/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

#include <limits>

namespace cl = llvm::cl;

static cl::OptionCategory category("npu-fuzz options");
static cl::opt<uint64_t> count("count",
                               cl::desc("Number of cases (default 100)"),
                               cl::value_desc("N"), cl::init(100),
                               cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Seed of the cases (default 0)"),
                              cl::value_desc("S"), cl::init(0),
                              cl::cat(category));
static cl::opt<uint64_t> oneCase("case", cl::desc("Only case K of that seed"),
                                 cl::value_desc("K"), cl::cat(category));
static cl::opt<bool> plans("plans",
                           cl::desc("Check redistribution plans of random "
                                    "pairs of placements, without running"),
                           cl::cat(category));
static cl::opt<bool>
    prompt("prompt",
           cl::desc("Functions have prompt dimensions, which are padded with "
                    "poison first"),
           cl::cat(category));
static cl::opt<bool>
    prefill("prefill",
            cl::desc("Functions have rows and a cache, and are run in chunks"),
            cl::cat(category));
static cl::opt<bool>
    assign("assign",
           cl::desc("Functions have few layouts or none, and are assigned them "
                    "for a random device; their reports are checked"),
           cl::cat(category));
static cl::opt<bool> scratchpads(
    "scratchpads",
    cl::desc("Functions are assigned layouts for scratchpads of many sizes, to "
             "compare what is accepted with what buffers take"),
    cl::cat(category));
static cl::opt<bool>
    tosa("tosa",
         cl::desc("Functions are graphs of TOSA, which npu-compile takes to "
                  "layouts for a random device"),
         cl::cat(category));
static cl::opt<bool>
    tileEdits("tile-edits",
              cl::desc("Tile programs of functions get one random edit each, "
                       "which is refused or changes no result"),
              cl::cat(category));
static cl::opt<bool> print("print", cl::desc("Print the cases, run nothing"),
                           cl::cat(category));
static cl::opt<unsigned>
    jobs("jobs", cl::desc("Cases that run at the same time (default 1)"),
         cl::value_desc("N"), cl::init(1), cl::cat(category));
static cl::opt<unsigned>
    reports("reports",
            cl::desc("Failures that are reported, written and reduced; more "
                     "are counted (default 10)"),
            cl::value_desc("N"), cl::init(10), cl::cat(category));
static cl::opt<unsigned>
    timeout("timeout", cl::desc("Seconds that a case may take (default 60)"),
            cl::value_desc("N"), cl::init(60), cl::cat(category));
static cl::opt<std::string>
    outputDir("output-dir",
              cl::desc("Directory for failing functions (default .)"),
              cl::value_desc("DIR"), cl::init("."), cl::cat(category));
static cl::opt<std::string> breakIt(
    "break",
    cl::desc(
        "To see cases fail: drop-transfer takes a transfer out of every "
        "tile program or plan, drop-mask a mask out of what --prompt pads, "
        "spoil-sum loses or repeats a part of a sum that tiles share"),
    cl::value_desc("how"), cl::cat(category));
static npu::OptLevelOption optLevel(category, "-O0");

/// Reads the options of the command line.
static npu::Result<> readOptions(npu::CampaignOptions &options) {
  auto level = optLevel.level();
  if (!level)
    return level.error();
  if (count == 0 || jobs == 0 || timeout == 0)
    return npu::Error{"expected at least 1, got " +
                      std::string(count == 0  ? "--count=0"
                                  : jobs == 0 ? "--jobs=0"
                                              : "--timeout=0")};
  bool one = oneCase.getNumOccurrences() > 0;
  if (one && count.getNumOccurrences() > 0)
    return npu::Error{"expected --count or --case, got both"};
  if (oneCase == std::numeric_limits<uint64_t>::max())
    return npu::Error{"--case: expected less than " +
                      std::to_string(oneCase.getValue())};
  if (plans && (level->has_value() || outputDir.getNumOccurrences() > 0))
    return npu::Error{
        "--plans runs and writes nothing: expected neither -O nor "
        "--output-dir"};
  if (plans + prompt + prefill + assign + scratchpads + tosa + tileEdits > 1)
    return npu::Error{"expected one of --plans, --prompt, --prefill, --assign, "
                      "--scratchpads, --tosa and --tile-edits, got several"};
  if (tileEdits && !breakIt.empty())
    return npu::Error{
        "--tile-edits: expected no --break beside it, got --break=" + breakIt};
  if (!breakIt.empty() && breakIt != "drop-transfer" &&
      breakIt != "drop-mask" && breakIt != "spoil-sum")
    return npu::Error{
        "--break: expected drop-transfer, drop-mask or spoil-sum, got '" +
        breakIt + "'"};
  if (breakIt == "drop-mask" && !prompt)
    return npu::Error{
        "--break=drop-mask: expected --prompt, whose cases have masks"};
  if (breakIt == "spoil-sum" && (plans || prompt || prefill || assign || tosa))
    return npu::Error{"--break=spoil-sum: expected functions, got --" +
                      std::string(plans     ? "plans"
                                  : prompt  ? "prompt"
                                  : prefill ? "prefill"
                                  : tosa    ? "tosa"
                                            : "assign")};
  options.seed = seed;
  options.first = one ? oneCase.getValue() : 0;
  options.count = one ? 1 : count.getValue();
  options.plans = plans;
  options.prompt = prompt;
  options.prefill = prefill;
  options.assign = assign;
  options.scratchpads = scratchpads;
  options.tosa = tosa;
  options.tileEdits = tileEdits;
  options.optLevel = level->value_or(0);
  options.dropTransfer = breakIt == "drop-transfer";
  options.dropMask = breakIt == "drop-mask";
  options.spoilSum = breakIt == "spoil-sum";
  options.outputDir = outputDir;
  options.mostReports = reports;
  options.isolation.jobs = jobs;
  options.isolation.secondsPerCase = timeout;
  return npu::Success();
}

int npu::fuzzMain(int argc, char **argv, const FuzzExtension &extension) {
  fuzzExtension() = extension;
  // Assignments look up the passes that measure scratchpads.
  registerAllPasses();
  cl::HideUnrelatedOptions(category);
  npu::setOutOfMemoryHandler("npu-fuzz");
  npu::setVersionPrinter("npu-fuzz");
  cl::ParseCommandLineOptions(
      argc, argv,
      "Makes up functions with layouts, legalizes, lowers and runs them, and\n"
      "compares the results bit for bit with those of the plain functions;\n"
      "with --assign, layouts are assigned instead\n");
  npu::CampaignOptions options;
  if (npu::Result<> read = readOptions(options); !read) {
    llvm::WithColor::error(llvm::errs(), "npu-fuzz")
        << read.error().message << "\n";
    return 1;
  }
  if (print) {
    npu::printCases(options, llvm::outs());
    return 0;
  }
  return llvm::failed(npu::runCampaign(options, llvm::outs()));
}
