// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Campaign.h"
#include "npu-fuzz/Cases/FunctionCase.h"
#include "npu-fuzz/Plans/PlanCase.h"
#include "npu-fuzz/Recipes/ReduceRecipe.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace npu {
namespace {

FunctionCaseOptions functionOptions(const CampaignOptions &options,
                                    uint64_t number) {
  FunctionCaseOptions function;
  function.optLevel = options.optLevel;
  function.seed = number;
  function.prompt = options.prompt;
  function.dropTransfer = options.dropTransfer;
  function.dropMask = options.dropMask;
  function.spoilSum = options.spoilSum;
  function.scratchpads = options.scratchpads;
  function.tileEdits = options.tileEdits;
  return function;
}

/// The recipe of a case: two of three cases with a prompt test regions.
Recipe recipeOf(const CampaignOptions &options, uint64_t number) {
  if (options.prefill)
    return randomPrefillBodies(options.seed, number);
  if (options.prompt && number % 3 != 0)
    return randomPromptBodies(options.seed, number);
  return randomRecipe(options.seed, number,
                      options.prompt ? RecipeFor::Prompts
                      : options.tosa ? RecipeFor::Tosa
                      : options.assign || options.scratchpads
                          ? RecipeFor::Assignments
                          : RecipeFor::Functions);
}

class Campaign {
public:
  Campaign(const CampaignOptions &options, llvm::raw_ostream &out)
      : options(options), out(out) {}

  llvm::LogicalResult run() {
    // Children have copies of the stream's buffer: flush it before they are
    // forked.
    out.flush();
    IsolationOptions isolation = options.isolation;
    if (options.plans)
      isolation.batch = 20000;
    runIsolated(
        options.first, options.count, isolation,
        [&](uint64_t number) { return runCase(number); },
        [&](uint64_t number, const CaseResult &result) {
          ++counts[static_cast<int>(result.outcome)];
          // A case that was refused for a good reason has a message.
          accepted += result.outcome == Outcome::Fine && result.message.empty();
          malformed += result.step == kEditIsMalformed;
          refusedEdits += result.step == kEditIsRefused;
          onlyAsBuffers += result.step == kBuffersDoNotFit;
          if (options.tosa && result.outcome == Outcome::Fine &&
              !result.message.empty())
            ++reasons[result.message];
          if (result.outcome != Outcome::Fine)
            fail(number, result);
        });
    auto count = [&](Outcome outcome) {
      return counts[static_cast<int>(outcome)];
    };
    for (const auto &[reason, times] : reasons)
      out << fmt::format("{} refused: {}\n", times, reason);
    out << fmt::format("{} cases, {} different, {} crashed, {} refused",
                       options.count, count(Outcome::Different),
                       count(Outcome::Crashed), count(Outcome::Refused));
    if (options.prompt || options.prefill || options.tosa)
      out << fmt::format(", {} accepted", accepted + count(Outcome::Different));
    else if (options.assign)
      out << fmt::format(", {} do not fit, {} of them only as buffers",
                         count(Outcome::Fine) - accepted, onlyAsBuffers);
    else if (options.tileEdits)
      out << fmt::format(", {} edits malformed, {} refused, {} equal",
                         malformed, refusedEdits, accepted);
    else if (options.spoilSum)
      out << fmt::format(", {} spoiled", accepted + count(Outcome::Different));
    out << "\n";
    return llvm::success(count(Outcome::Fine) == options.count && allWritten);
  }

private:
  CaseResult runCase(uint64_t number) const {
    return options.plans ? runPlanCase(randomPlanCase(options.seed, number),
                                       options.dropTransfer)
                         : runFunctionCase(recipeOf(options, number),
                                           functionOptions(options, number));
  }

  std::string commandFor(uint64_t number) const {
    return fmt::format("npu-fuzz{} --seed={} --case={}{}{}",
                       options.plans         ? " --plans"
                       : options.prompt      ? " --prompt"
                       : options.assign      ? " --assign"
                       : options.scratchpads ? " --scratchpads"
                       : options.prefill     ? " --prefill"
                       : options.tosa        ? " --tosa"
                       : options.tileEdits   ? " --tile-edits"
                                             : "",
                       options.seed, number,
                       options.plans ? ""
                                     : fmt::format(" -O{}", options.optLevel),
                       options.dropTransfer ? " --break=drop-transfer"
                       : options.dropMask   ? " --break=drop-mask"
                       : options.spoilSum   ? " --break=spoil-sum"
                                            : "");
  }

  void fail(uint64_t number, const CaseResult &result) {
    if (++reports > options.mostReports)
      return;
    llvm::StringRef message = llvm::StringRef(result.message).rtrim();
    out << fmt::format("case {}: {}: {}\n", number, nameOf(result.outcome),
                       message.str());
    out << "  again: " << commandFor(number) << "\n";
    if (!options.plans)
      writeAndReduce(number, result);
    out.flush();
  }

  /// Writes the recipe before it is reduced, so that there is a file whatever
  /// happens then.
  void writeAndReduce(uint64_t number, const CaseResult &result) {
    Recipe recipe = recipeOf(options, number);
    if (!write(number, "", recipe, result))
      return;
    CaseResult last = result;
    IsolationOptions isolation = options.isolation;
    // Use a shorter time limit, because each try of a hanging case takes it.
    isolation.secondsPerCase = std::min(isolation.secondsPerCase, 10u);
    auto fails = [&](const Recipe &candidate) {
      CaseResult now;
      runIsolated(
          number, 1, isolation,
          [&](uint64_t) {
            return runFunctionCase(candidate, functionOptions(options, number));
          },
          [&](uint64_t, CaseResult result) { now = std::move(result); });
      if (now.outcome != result.outcome ||
          ((options.assign || options.scratchpads || options.tosa) &&
           now.step != result.step))
        return false;
      last = std::move(now);
      return true;
    };
    Recipe reduced = reduceRecipe(recipe, fails);
    out << fmt::format("  reduced from {} operations to {}\n",
                       operationCount(recipe), operationCount(reduced));
    write(number, ".reduced", reduced, last);
  }

  bool write(uint64_t number, const char *suffix, const Recipe &recipe,
             const CaseResult &result) {
    llvm::SmallString<128> path(options.outputDir);
    std::error_code error = llvm::sys::fs::create_directories(path);
    llvm::sys::path::append(
        path, fmt::format("fuzz-{}-{}{}.mlir", options.seed, number, suffix));
    if (!error) {
      llvm::raw_fd_ostream file(path, error);
      if (!error) {
        CaseCommands commands;
        std::string text =
            toText(recipe, functionOptions(options, number), commands);
        file << comment(number, result, commands) << text;
        file.close();
        error = file.error();
        file.clear_error();
      }
    }
    if (error) {
      llvm::WithColor::error(llvm::errs(), "npu-fuzz")
          << "cannot write '" << path << "': " << error.message() << "\n";
      allWritten = false;
      return false;
    }
    out << "  written: " << path << "\n";
    return true;
  }

  std::string comment(uint64_t number, const CaseResult &result,
                      const CaseCommands &commands) const {
    std::string text = fmt::format(
        "// Seed {}, case {}: {}.\n// Made by: {}\n// Run this file:\n"
        "//   npu-opt FILE {} -o legal.mlir\n"
        "//   npu-run legal.mlir --reference=FILE {}\n",
        options.seed, number, nameOf(result.outcome), commandFor(number),
        commands.legalize, commands.run);
    if (options.dropTransfer)
      text +=
          "// (Which will not fail: the transfer was dropped in between.)\n";
    if (options.spoilSum)
      text += "// (Which will not fail: the sum was spoiled in between.)\n";
    if (options.tileEdits)
      text += "// (Which will not fail: the tile program was edited.)\n";
    for (llvm::StringRef line :
         llvm::split(llvm::StringRef(result.message).rtrim(), '\n'))
      text += "// | " + line.str() + "\n";
    return text;
  }

  const CampaignOptions &options;
  llvm::raw_ostream &out;
  std::array<uint64_t, 4> counts = {};
  uint64_t accepted = 0;
  /// Assigned programs whose buffers exceed the scratchpads.
  uint64_t onlyAsBuffers = 0;
  /// Why graphs of TOSA were refused, and how many.
  std::map<std::string, uint64_t> reasons;
  /// Edited tile programs that are not well-formed, or refused.
  uint64_t malformed = 0, refusedEdits = 0;
  unsigned reports = 0;
  bool allWritten = true;
};

} // namespace

void printCases(const CampaignOptions &options, llvm::raw_ostream &out) {
  for (uint64_t i = 0; i < options.count; ++i) {
    uint64_t number = options.first + i;
    out << fmt::format("// Seed {}, case {}.\n", options.seed, number);
    if (options.plans)
      out << toString(randomPlanCase(options.seed, number));
    else {
      CaseCommands commands;
      out << toText(recipeOf(options, number), functionOptions(options, number),
                    commands);
      out << "// npu-opt FILE " << commands.legalize
          << " -o legal.mlir\n// npu-run legal.mlir --reference=FILE "
          << commands.run << "\n";
    }
  }
}

llvm::LogicalResult runCampaign(const CampaignOptions &options,
                                llvm::raw_ostream &out) {
  return Campaign(options, out).run();
}

} // namespace npu
