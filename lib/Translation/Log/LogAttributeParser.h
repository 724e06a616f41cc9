// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses one distribution attribute of a log, and reports what is missing where
// the log ends in the middle of it.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGATTRIBUTEPARSER_H
#define NPU_LIB_TRANSLATION_LOG_LOGATTRIBUTEPARSER_H

#include "LogFields.h"
#include "LogLexer.h"

namespace npu {

class LogAttributeParser {
public:
  /// Fills `attribute`, whose side is set, and appends errors to `messages`.
  LogAttributeParser(LogLexer &lexer, LoggedAttribute &attribute,
                     LogMessages &messages)
      : lexer(lexer), attribute(attribute), messages(messages) {}

  /// Parses #VPU.DistributedTensor<field, ...>, or {field, ...} as older logs
  /// have it. Like all functions of this parser, returns false after an error.
  bool parse();

private:
  bool parseField();
  bool parseValue(FieldKind kind, LoggedField &field);
  bool parseWords(LoggedField &field);
  bool parseNumber(LoggedRow &row);
  bool parseNumbers(LoggedRow &row);
  bool parseRows(LoggedField &field);
  bool parsePads(LoggedRow &row);
  bool parseUnit(LoggedField &field);
  bool skipUnknownField(const LogToken &name);

  /// Reports that the next token is not what was expected: either the log (or
  /// its line) ends here, or something else stands here. Returns false.
  bool fail(std::string_view expected);
  bool error(std::size_t at, std::string text);
  /// "'memory_offsets' of 'in'", or "'in'" between fields.
  std::string place() const;
  /// The number of tiles, where an earlier field has it.
  std::size_t expectedRows() const;

  LogLexer &lexer;
  LoggedAttribute &attribute;
  LogMessages &messages;
  std::string fieldName;
  std::string lastField;
  /// What is missing if the log ends here, when that is more than what is
  /// expected next.
  std::string missing;
  int unknownFields = 0;
};

/// The token in quotation marks, shortened, with what does not print as \xx.
std::string quoted(const LogToken &token);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGATTRIBUTEPARSER_H
