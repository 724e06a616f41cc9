// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a whole log: all of its errors or none.

#include "CutError.h"
#include "LoggedCast.h"
#include "ReportMessages.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>

#include <tuple>

using namespace mlir;

namespace npu {
namespace {

/// Makes names of functions: an operation's first name, without characters that
/// would need quotation marks, made unique by a number.
class FunctionNames {
public:
  std::string make(const LoggedLocation &location) {
    std::string base =
        location.names.empty() ? "permute_cast" : location.names.front();
    for (char &c : base)
      if (!llvm::isAlnum(c) && c != '_' && c != '.' && c != '$')
        c = '_';
    if (llvm::isDigit(base.front()))
      base.insert(base.begin(), '_');
    std::string name = base;
    unsigned &number = numbers[base];
    while (!taken.insert(name).second)
      name = fmt::format("{}_{}", base, ++number);
    return name;
  }

private:
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> numbers;
};

} // namespace

FileLineColLoc NpuLog::location(std::size_t at) const {
  LogLines::Position position = lines.position(at);
  return FileLineColLoc::get(fileName, position.line, position.column);
}

Location NpuLog::location(const LoggedError &error) const {
  MLIRContext *context = fileName.getContext();
  SmallVector<Location> parts;
  for (const std::string &name : error.location.names)
    parts.push_back(NameLoc::get(StringAttr::get(context, name)));
  parts.push_back(location(error.at));
  NamedAttrList properties;
  for (const auto &[name, value] : error.location.properties)
    properties.set(name, StringAttr::get(context, value));
  if (properties.empty())
    return FusedLoc::get(context, parts);
  return FusedLoc::get(parts, properties.getDictionary(context), context);
}

/// Adds to a message that the log ends too early what is known all the same.
static void noteWhatIsKnown(LoggedError &error, StringRef text,
                            const NpuLogOptions &options) {
  for (LogMessage &message : error.messages)
    if (message.severity == LogMessage::Severity::Error && message.isCut)
      message.notes = knownOfCut(error, text, options);
}

/// Leaves out the last error, which the end of the log cuts, with a warning.
static void leaveOutCut(NpuLog &log) {
  for (const LogMessage &message : log.errors.back().messages)
    if (message.severity == LogMessage::Severity::Error) {
      InFlightDiagnostic warning = emitWarning(log.location(message.at))
                                   << message.text << "; not explained";
      for (const std::string &note : message.notes)
        warning.attachNote() << note;
    }
  log.errors.pop_back();
}

FailureOr<NpuLog> readNpuLog(StringRef text, StringRef fileName,
                             const NpuLogOptions &options, MLIRContext *context,
                             BesideCut besideCut) {
  NpuLog log{.errors = parseNpuLog(text),
             .casts = {},
             .lines = LogLines(text),
             .fileName = StringAttr::get(context, fileName)};
  if (log.errors.empty()) {
    InFlightDiagnostic error = emitError(log.location(std::size_t(0)))
                               << "no 'PermuteCast "
                               << StringRef(kIncompatibleSentence)
                               << "' error in this log, and none of another "
                                  "cast";
    if (text.contains("!VPU.DistributedTensor<") ||
        text.contains("!VPUIP.DistributedBuffer<"))
      error.attachNote()
          << "this looks like a dump of the field compiler's IR, "
             "which --explain-npu-dump reads";
    // A Windows shell writes UTF-16 when output is redirected.
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
      error.attachNote() << "the log is UTF-16; expected ASCII or UTF-8";
    else if (std::optional<CutLine> cut = cutLineOf(text))
      error.attachNote(log.location(cut->at))
          << "the log ends in the middle of a line"
          << (cut->location.names.empty()
                  ? std::string()
                  : fmt::format(", after the location of {}",
                                spellNames(cut->location)))
          << ": what follows it is missing";
    return error;
  }
  FunctionNames names;
  LogMessages wrong;
  for (LoggedError &error : log.errors) {
    if (!hasErrors(error.messages))
      if (auto cast = resolve(error, options, context, error.messages)) {
        cast->function = names.make(error.location);
        log.casts.push_back(std::move(*cast));
      }
    noteWhatIsKnown(error, text, options);
    // Sort messages by their positions in the log.
    llvm::sort(error.messages, [](const LogMessage &a, const LogMessage &b) {
      return std::tie(a.at, a.text) < std::tie(b.at, b.text);
    });
    for (const LogMessage &message : error.messages)
      if (message.severity == LogMessage::Severity::Error)
        wrong.push_back(message);
  }
  if (besideCut == BesideCut::Kept && log.errors.size() > 1 &&
      wrong.size() == 1 && wrong.front().isCut) {
    leaveOutCut(log);
    return log;
  }
  if (wrong.empty())
    return log;
  reportMessages(log, wrong);
  return failure();
}

} // namespace npu
