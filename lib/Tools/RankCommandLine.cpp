// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankCommandLine.h"

#include "npu/Support/OnePiece.h"

#include <fmt/format.h>

namespace cl = llvm::cl;

namespace npu {

RankDiagnostics::RankDiagnostics(llvm::SourceMgr &sources,
                                 mlir::MLIRContext &context,
                                 const RankSession *session)
    : SourceMgrDiagnosticHandler(sources, &context) {
  setHandler([this, session](mlir::Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
    if (session && !session->isFirst() && !isError)
      return;
    OnePiece piece;
    emitDiagnostic(diagnostic);
  });
}

RankCommandLine::RankCommandLine(cl::OptionCategory &category)
    : mpi("mpi",
          cl::desc("Run the tiles on the processes of this MPI job (mpirun -n "
                   "N npu-run ...); the first compares and prints"),
          cl::cat(category)),
      report("mpi-report",
             cl::desc("Print a line for each exchange of messages: how many, "
                      "their bytes, and how long the slowest rank took; and "
                      "for each rank: also its processor time and memory"),
             cl::cat(category)),
      timeout("mpi-timeout",
              cl::desc("How long a rank waits for another one, which may "
                       "compile or run the reference, before it ends with an "
                       "error, in seconds (default: 300)"),
              cl::value_desc("S"), cl::init(300), cl::cat(category)),
      fault("mpi-fault",
            cl::desc("Plant a fault, to see that it is found: at its message "
                     "N, rank R kills itself, sends a byte less, or stalls"),
            cl::value_desc("kill:R:N|short:R:N|stall:R:N"), cl::cat(category)) {
}

/// The rank of KIND:RANK:N, a fault that can be planted; nothing where it is
/// none.
static std::optional<unsigned> rankOfFault(llvm::StringRef fault) {
  llvm::SmallVector<llvm::StringRef> words;
  fault.split(words, ':');
  unsigned rank = 0, message = 0;
  if (words.size() != 3 ||
      !llvm::is_contained({"kill", "short", "stall"}, words[0]) ||
      words[1].getAsInteger(10, rank) || words[2].getAsInteger(10, message))
    return std::nullopt;
  return rank;
}

Result<> RankCommandLine::check(llvm::StringRef file,
                                const RunOptions &options) const {
  if (options.threads == TileThreads::Many)
    return Error{"--mpi: expected no --tiles=parallel beside it: the tiles of "
                 "a rank run one after the other"};
  // Also refuses what is not a number.
  if (!(timeout > 0 && timeout <= 1e6))
    return Error{"--mpi-timeout: expected more than 0 and at most 1000000 "
                 "seconds"};
  if (fault.getNumOccurrences() > 0 && !rankOfFault(fault))
    return Error{"--mpi-fault: expected kill:RANK:N, short:RANK:N or "
                 "stall:RANK:N, got '" +
                 fault + "'"};
  if (file == "-")
    return Error{"--mpi: expected a file, which every rank reads, got standard "
                 "input, which the first alone has"};
  return Success();
}

/// The options on which it depends what ranks send, beside their programs.
static std::string spellOptions(const RunOptions &options, bool reports) {
  std::string text =
      fmt::format("{} runs, {} report", options.repeat, reports ? "a" : "no");
  for (const LengthsOfRun &run : options.lengths.runs)
    text += ", " + options.lengths.spell(run);
  return text;
}

Result<> RankCommandLine::join(llvm::StringRef file, RunOptions &options) {
  if (!mpi)
    return Success();
  if (Result<> checked = check(file, options); !checked)
    return checked;
  auto opened = RankSession::open("npu-run", {timeout, fault.getValue()});
  if (!opened)
    return Error{"--mpi: " + opened.error().message};
  session = std::move(*opened);
  options.ranks = session.get();
  if (std::optional<unsigned> rank = rankOfFault(fault);
      rank && static_cast<int>(*rank) >= session->count())
    return Error{"--mpi-fault: expected a rank below " +
                 std::to_string(session->count()) + ", got '" + fault + "'"};
  if (!session->isFirst())
    options.scratchpad.report = false;
  // What ranks print goes through mpirun, which gives them terminals also where
  // it has none.
  llvm::outs().enable_colors(false);
  llvm::errs().enable_colors(false);
  return session->agreeOnOptions(spellOptions(options, report));
}

int RankCommandLine::leave(int code) {
  if (!session)
    return code;
  if (code == 0)
    session->printFigures(llvm::outs(), report);
  llvm::outs().flush();
  return session->close(code);
}

} // namespace npu
