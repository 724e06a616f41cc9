// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a dump of the field compiler's IR into tokens. The text may contain
// any bytes. Comments are passed over, but for the ones that divide a file into
// parts (`// -----`, and the banners that print a pass's name).

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPLEXER_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPLEXER_H

#include "../Log/LogLexer.h"

namespace npu {

/// A copy of a lexer looks ahead without disturbing the original.
class DumpLexer final : public TextLexer {
public:
  explicit DumpLexer(std::string_view text, std::size_t begin = 0)
      : TextLexer(text, begin) {
    advance();
  }

  /// Continues at a position of the text.
  void jump(std::size_t to);
  std::string_view whole() const { return text; }

private:
  void advance() override;
  void skipBlanks();
  /// The end of the token that begins at `position`, whose kind it sets.
  std::size_t lex();
};

/// Where a bracket ends.
struct BracketEnd {
  /// One after the sign that closes the bracket; where nothing closes it, the
  /// end of the last token before the next statement.
  std::size_t at;
  bool closed;
};

/// Finds the end of the bracket that opens at `at`. Brackets of other kinds
/// inside it need not be balanced.
BracketEnd endOfBracket(std::string_view text, std::size_t at);

/// Whether the lexer stands at a line that defines values or an alias, so that
/// nothing from before goes on here.
bool beginsDefinition(const DumpLexer &lexer);

/// Text without blanks at its ends.
std::string_view trimmed(std::string_view text);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPLEXER_H
