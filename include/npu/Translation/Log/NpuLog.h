// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The errors of the field compiler as its log has them: plain data with
// positions, as parsed and not yet interpreted. Positions are byte offsets into
// the log's text.

#ifndef NPU_TRANSLATION_LOG_NPULOG_H
#define NPU_TRANSLATION_LOG_NPULOG_H

#include "npu/Placement/Boxes/Box.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npu {

/// A message to the user about a place in the log.
struct LogMessage {
  enum class Severity { Remark, Error };
  Severity severity = Severity::Error;
  std::size_t at = 0;
  std::string text;
  /// Where the log ends too early: the text without what should follow.
  std::string shortText = {};
  /// Whether it is the end of the whole log that is too early, and not that of
  /// a line.
  bool isCut = false;
  /// What is told beside it.
  std::vector<std::string> notes = {};
};

using LogMessages = std::vector<LogMessage>;

bool hasErrors(const LogMessages &messages);

/// The location of an operation in the log: `loc(fused<{name = "Add_1106", type
/// = "Add"}>["Add_1106", "_mem_permute_1"])` has two names and two properties.
struct LoggedLocation {
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> properties;
};

/// A list of numbers, and its position.
struct LoggedRow {
  std::size_t at = 0;
  Extents numbers;
};

/// One `name = value` of a distribution attribute.
struct LoggedField {
  std::string name;
  std::size_t at = 0;
  /// A list of lists has one row each; a list, a number and pads (left, right,
  /// top, bottom) have one row; words and unit have none.
  std::vector<LoggedRow> rows;
  /// The mode's words, joined by '|'.
  std::string words;
};

/// `#VPU.DistributedTensor<...>` or `#VPU.DistributionInfo<...>`.
struct LoggedAttribute {
  /// "in", "out" or "expected".
  std::string side;
  std::size_t at = 0;
  std::vector<LoggedField> fields;

  /// Null when the attribute has no such field.
  const LoggedField *find(std::string_view name) const;
};

/// One error of the log. `messages` are messages to the user about it; where
/// one of them is an error, the attributes may be incomplete.
struct LoggedError {
  /// The position of the error's sentence.
  std::size_t at = 0;
  /// The operation that the sentence names: "PermuteCast", "DistributedCast".
  std::string op;
  LoggedLocation location;
  /// The prompt's length where a line before the error has it, as the program
  /// around the compiler prints it: "input length: 336".
  std::optional<int64_t> promptLength;
  LoggedAttribute in;
  LoggedAttribute out;
  /// The expected attribute, if the log has it completely.
  std::optional<LoggedAttribute> expected;
  LogMessages messages;
};

/// The words of every such error after the operation's name.
inline constexpr std::string_view kIncompatibleSentence =
    "input and output distributions are incompatible";

/// Whether the operation may change the order of dimensions. Other casts keep
/// it: DistributedCast, QuantizeCast.
bool changesOrder(const LoggedError &error);

/// Parses every error of the log, in the order of the log, whatever text stands
/// around the errors. Takes time linear in the text. Example: a log that ends
/// inside `in` gives one error with the message "the log ends inside
/// 'memory_offsets' of 'in': expected 4 boxes, got 3".
std::vector<LoggedError> parseNpuLog(std::string_view text);

/// A last line that does not end, where no error begins that can be read.
struct CutLine {
  std::size_t at = 0;
  /// The last location on it; without names where there is none.
  LoggedLocation location;
};
std::optional<CutLine> cutLineOf(std::string_view text);

/// Translates byte offsets to lines and columns, which both count from 1.
class LogLines {
public:
  explicit LogLines(std::string_view text);

  struct Position {
    unsigned line;
    unsigned column;
  };
  Position position(std::size_t at) const;

private:
  std::vector<std::size_t> lineStarts;
};

} // namespace npu

#endif // NPU_TRANSLATION_LOG_NPULOG_H
