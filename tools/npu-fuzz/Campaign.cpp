// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Campaign.h"
#include "npu-fuzz/Cases/CaseRun.h"
#include "npu-fuzz/Functions/ReduceFunction.h"
#include "npu-fuzz/Plans/PlanCase.h"
#include "npu/Support/BundleNotes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace npu {
namespace {

CaseOptions caseOptions(const CampaignOptions &options, uint64_t number) {
  return {options.mode, options.broken, options.optLevel, number};
}

class Campaign {
public:
  Campaign(const CampaignOptions &options, llvm::raw_ostream &out)
      : options(options), row(rowOf(options.mode)), out(out) {}

  llvm::LogicalResult run() {
    // Children have copies of the stream's buffer: flush it before they are
    // forked.
    out.flush();
    IsolationOptions isolation = options.isolation;
    if (options.mode == CaseMode::Plans)
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
          if (options.mode == CaseMode::Tosa &&
              result.outcome == Outcome::Fine && !result.message.empty())
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
    uint64_t compared = accepted + count(Outcome::Different);
    if (options.broken == Break::SpoilSum)
      out << fmt::format(", {} spoiled", compared);
    switch (options.mode) {
    case CaseMode::Prompt:
    case CaseMode::Prefill:
    case CaseMode::Imported:
    case CaseMode::Tosa:
      out << fmt::format(", {} accepted", compared);
      break;
    case CaseMode::Assign:
    case CaseMode::Hetero:
      out << fmt::format(", {} do not fit, {} of them only as buffers",
                         count(Outcome::Fine) - accepted, onlyAsBuffers);
      break;
    case CaseMode::TileEdits:
      out << fmt::format(", {} edits malformed, {} refused, {} equal",
                         malformed, refusedEdits, accepted);
      break;
    default:
      break;
    }
    out << "\n";
    return llvm::success(count(Outcome::Fine) == options.count && allWritten);
  }

private:
  CaseResult runCase(uint64_t number) const {
    if (options.mode == CaseMode::Plans)
      return runPlanCase(randomPlanCase(options.seed, number),
                         options.broken == Break::DropTransfer);
    return row.run(row.make(options.seed, number),
                   caseOptions(options, number));
  }

  /// The arguments of npu-fuzz that run this case alone.
  std::vector<std::string> argumentsFor(uint64_t number) const {
    std::vector<std::string> arguments;
    if (*row.option)
      arguments.push_back(fmt::format("--{}", row.option));
    arguments.push_back(fmt::format("--seed={}", options.seed));
    arguments.push_back(fmt::format("--case={}", number));
    if (options.mode != CaseMode::Plans)
      arguments.push_back(fmt::format("-O{}", options.optLevel));
    if (const char *broken = kBreaks[static_cast<int>(options.broken)]; *broken)
      arguments.push_back(fmt::format("--break={}", broken));
    unsigned seconds = options.isolation.secondsPerCase;
    if (seconds != IsolationOptions().secondsPerCase)
      arguments.push_back(fmt::format("--timeout={}", seconds));
    return arguments;
  }

  std::string commandFor(uint64_t number) const {
    return "npu-fuzz " + llvm::join(argumentsFor(number), " ");
  }

  /// A bundle replays the first case that fails, and not all of them.
  void noteCase(uint64_t number) const {
    for (const std::string &argument : argumentsFor(number))
      noteForBundle("again", argument);
    if (row.make)
      noteForBundle("again", "--output-dir=outputs");
  }

  void fail(uint64_t number, const CaseResult &result) {
    if (++reports == 1)
      noteCase(number);
    if (reports > options.mostReports)
      return;
    llvm::StringRef message = llvm::StringRef(result.message).rtrim();
    out << fmt::format("case {}: {}: {}\n", number, nameOf(result.outcome),
                       message.str());
    out.flush();
    out << "  again: " << commandFor(number) << "\n";
    if (row.make)
      writeAndReduce(number, result);
    else
      out << toString(randomPlanCase(options.seed, number));
    out.flush();
  }

  /// Writes the function before it is reduced, so that there is a file whatever
  /// happens then.
  void writeAndReduce(uint64_t number, const CaseResult &result) {
    MadeFunction function = row.make(options.seed, number);
    if (!write(number, "", function, result) || !function.whyNot.empty())
      return;
    CaseResult last = result;
    IsolationOptions isolation = options.isolation;
    // Use a shorter time limit, because each try of a hanging case takes it.
    isolation.secondsPerCase = std::min(isolation.secondsPerCase, 10u);
    auto fails = [&](const MadeFunction &candidate) {
      CaseResult now;
      runIsolated(
          number, 1, isolation,
          [&](uint64_t) {
            return row.run(candidate, caseOptions(options, number));
          },
          [&](uint64_t, CaseResult result) { now = std::move(result); });
      if (now.outcome != result.outcome || now.step != result.step)
        return false;
      last = std::move(now);
      return true;
    };
    MadeFunction reduced = reduceFunction(function, fails);
    out << fmt::format("  reduced from {} operations to {}\n",
                       operationCount(function), operationCount(reduced));
    write(number, ".reduced", reduced, last);
  }

  bool write(uint64_t number, const char *suffix, const MadeFunction &function,
             const CaseResult &result) {
    llvm::SmallString<128> path(options.outputDir);
    std::error_code error = llvm::sys::fs::create_directories(path);
    llvm::sys::path::append(
        path, fmt::format("fuzz-{}-{}{}.mlir", options.seed, number, suffix));
    if (!error) {
      llvm::raw_fd_ostream file(path, error);
      if (!error) {
        file << comment(
                    number, result,
                    CaseRun(function, caseOptions(options, number)).commands())
             << function.text;
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
    const char *between =
        options.broken == Break::DropTransfer ? "the transfer was dropped"
        : options.broken == Break::SpoilSum   ? "the sum was spoiled"
        : options.mode == CaseMode::TileEdits ? "the tile program was edited"
                                              : nullptr;
    if (between)
      text +=
          fmt::format("// (Which will not fail: {} in between.)\n", between);
    for (llvm::StringRef line :
         llvm::split(llvm::StringRef(result.message).rtrim(), '\n'))
      text += "// | " + line.str() + "\n";
    return text;
  }

  const CampaignOptions &options;
  const ModeRow &row;
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
    if (options.mode == CaseMode::Plans) {
      out << toString(randomPlanCase(options.seed, number));
      continue;
    }
    const ModeRow &row = rowOf(options.mode);
    MadeFunction function = row.make(options.seed, number);
    CaseCommands commands =
        CaseRun(function, caseOptions(options, number)).commands();
    out << function.text << "// npu-opt FILE " << commands.legalize
        << " -o legal.mlir\n// npu-run legal.mlir --reference=FILE "
        << commands.run << "\n";
  }
}

llvm::LogicalResult runCampaign(const CampaignOptions &options,
                                llvm::raw_ostream &out) {
  return Campaign(options, out).run();
}

} // namespace npu
