// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions and layouts, and compares the results of the compiled
// functions with those of the originals.

#include "npu-fuzz/FuzzMain.h"
#include "npu-fuzz/Campaign.h"
#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu/InitAllPasses.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/OptLevelOption.h"
#include "npu/Tools/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

#include <deque>
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
/// An option for each mode that needs one, in the order of the modes.
static std::deque<cl::opt<bool>> modes = [] {
  std::deque<cl::opt<bool>> options;
  for (const npu::ModeRow &row : npu::modeRows().subspan(1))
    options.emplace_back(llvm::StringRef(row.option), cl::desc(row.help),
                         cl::cat(category));
  return options;
}();
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
    cl::desc("To see cases fail: drop-transfer takes a transfer out of every "
             "tile program or plan, drop-mask a mask out of what is padded, "
             "spoil-sum loses or repeats a part of a sum that tiles share"),
    cl::value_desc("how"), cl::cat(category));
static npu::OptLevelOption optLevel(category, "-O0");

/// What is printed is not run, and plans are neither compiled nor written.
static const npu::OptionReaders optionReaders[] = {
    {"O", {}, {"plans"}},       {"break", {}, {"print", "tile-edits"}},
    {"jobs", {}, {"print"}},    {"output-dir", {}, {"print", "plans"}},
    {"reports", {}, {"print"}}, {"timeout", {}, {"print"}},
    {"count", {}, {"case"}},
};

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
  if (oneCase == std::numeric_limits<uint64_t>::max())
    return npu::Error{"--case: expected less than " +
                      std::to_string(oneCase.getValue())};
  std::string names, several;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    npu::CaseMode mode = npu::modeRows()[i + 1].mode;
    names += (i == 0                  ? "--"
              : i + 1 == modes.size() ? " and --"
                                      : ", --") +
             modes[i].ArgStr.str();
    if (!modes[i])
      continue;
    if (options.mode != npu::CaseMode::Functions)
      several = ", got several";
    options.mode = mode;
  }
  if (!several.empty())
    return npu::Error{"expected one of " + names + several};
  std::string mode = npu::rowOf(options.mode).option;
  const auto *broken = llvm::find(npu::kBreaks, breakIt.getValue());
  if (broken == std::end(npu::kBreaks))
    return npu::Error{
        "--break: expected drop-transfer, drop-mask or spoil-sum, got '" +
        breakIt + "'"};
  options.broken = static_cast<npu::Break>(broken - npu::kBreaks);
  if (options.broken == npu::Break::DropMask &&
      options.mode != npu::CaseMode::Prompt &&
      options.mode != npu::CaseMode::Imported)
    return npu::Error{"--break=drop-mask: expected --prompt or --imported, "
                      "whose cases have masks"};
  if (options.broken == npu::Break::SpoilSum &&
      options.mode != npu::CaseMode::Functions)
    return npu::Error{"--break=spoil-sum: expected functions, got --" + mode};
  options.seed = seed;
  options.first = one ? oneCase.getValue() : 0;
  options.count = one ? 1 : count.getValue();
  options.optLevel = level->value_or(0);
  options.outputDir = outputDir;
  options.mostReports = reports;
  options.isolation.jobs = jobs;
  options.isolation.secondsPerCase = timeout;
  return npu::Success();
}

int npu::fuzzMain(int argc, char **argv, const FuzzExtension &extension) {
  if (std::optional<int> code = runWithBundle("npu-fuzz", argc, argv))
    return *code;
  addBundleOptions(category);
  fuzzExtension() = extension;
  // Assignments look up the passes that measure scratchpads.
  registerAllPasses();
  cl::HideUnrelatedOptions(category);
  npu::setFatalErrorHandlers("npu-fuzz");
  npu::setVersionPrinter("npu-fuzz");
  cl::ParseCommandLineOptions(
      argc, argv,
      "Makes up functions with layouts, legalizes, lowers and runs them, and\n"
      "compares the results bit for bit with those of the plain functions;\n"
      "with --assign, layouts are assigned instead\n");
  npu::CampaignOptions options;
  npu::Result<> read =
      npu::checkOptionReaders(optionReaders, npu::GivenOptions(argc, argv));
  if (read)
    read = readOptions(options);
  if (!read) {
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
