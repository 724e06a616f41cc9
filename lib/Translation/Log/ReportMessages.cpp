// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportMessages.h"

#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

void reportMessages(const NpuLog &log, const LogMessages &messages) {
  constexpr std::size_t told = 200;
  for (std::size_t i = 0; i < std::min(told, messages.size()); ++i) {
    const LogMessage &message = messages[i];
    if (message.severity == LogMessage::Severity::Error) {
      InFlightDiagnostic error = emitError(log.location(message.at))
                                 << message.text;
      for (const std::string &note : message.notes)
        error.attachNote() << note;
    } else {
      emitRemark(log.location(message.at)) << message.text;
    }
  }
  if (messages.size() > told)
    emitRemark(log.location(messages[told].at))
        << "and " << messages.size() - told << " more, not told";
}

/// Prints `file:line:column: error: message`, then the part of the line around
/// the column with a mark below it.
static void printExcerpt(const llvm::SMDiagnostic &diagnostic, void *) {
  constexpr int before = 50, after = 30;
  llvm::raw_ostream &os = llvm::errs();
  std::string place = diagnostic.getFilename().str();
  if (diagnostic.getLineNo() > 0)
    place += fmt::format(":{}:{}", diagnostic.getLineNo(),
                         diagnostic.getColumnNo() + 1);
  llvm::SMDiagnostic(place, diagnostic.getKind(), diagnostic.getMessage())
      .print(nullptr, os);
  // A note stands at the place of its error, which is shown already.
  if (diagnostic.getKind() == llvm::SourceMgr::DK_Note)
    return;
  StringRef line = diagnostic.getLineContents();
  int column = diagnostic.getColumnNo();
  if (column < 0 || line.empty())
    return;
  int begin = std::max(0, column - before);
  std::string excerpt = begin > 0 ? "..." : "";
  std::size_t mark = excerpt.size() + (column - begin);
  StringRef shown = line.substr(begin, column - begin + after);
  for (char c : shown)
    excerpt += c >= ' ' && c <= '~' ? c : ' ';
  if (begin + shown.size() < line.size())
    excerpt += "...";
  os << excerpt << '\n';
  os.indent(mark) << "^\n";
}

void showExcerpts(llvm::SourceMgr &sourceMgr) {
  sourceMgr.setDiagHandler(printExcerpt);
}

} // namespace npu
