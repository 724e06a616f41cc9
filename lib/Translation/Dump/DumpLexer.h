// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a dump of the field compiler's IR into tokens. The text may contain
// any bytes. Comments are passed over, but for the ones that divide a file into
// parts (`// -----`, and the banners that print a pass's name).

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPLEXER_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPLEXER_H

#include <string_view>

namespace npu {

struct DumpToken {
  enum class Kind {
    End,
    /// Letters, digits, '_', '.', '$', not beginning with a digit.
    Word,
    /// Digits with an optional sign, fraction and exponent.
    Number,
    /// With its quotation marks.
    String,
    /// %name, %0, %0#1
    Value,
    /// @name or @"name"
    Symbol,
    /// !name
    Type,
    /// #name
    Attribute,
    /// ^name
    Block,
    /// One character, or one of -> >= <= == :: {-# #-}
    Sign,
    /// A byte that begins no token.
    Unknown,
  };
  Kind kind = Kind::End;
  std::string_view text;
  std::size_t at = 0;
  /// Whether a line ends between the previous token and this one.
  bool startsLine = false;
  /// Whether a comment that divides the file stands between the previous token
  /// and this one.
  bool startsPart = false;

  std::size_t end() const { return at + text.size(); }
  bool is(std::string_view sign) const {
    return kind == Kind::Sign && text == sign;
  }
  bool isWord(std::string_view word) const {
    return kind == Kind::Word && text == word;
  }
  bool opens() const { return is("(") || is("[") || is("<") || is("{"); }
  bool closes() const { return is(")") || is("]") || is(">") || is("}"); }
};

/// A copy of a lexer looks ahead without disturbing the original.
class DumpLexer {
public:
  explicit DumpLexer(std::string_view text, std::size_t begin = 0)
      : text(text), position(begin) {
    advance();
  }

  const DumpToken &peek() const { return token; }
  DumpToken take();
  bool takeIf(std::string_view sign);
  /// Continues at a position of the text.
  void jump(std::size_t to);
  std::string_view whole() const { return text; }
  /// The end of the token before the current one.
  std::size_t endOfPrevious() const { return previousEnd; }

private:
  void advance();
  void skipBlanks();
  /// The end of the token that begins at `position`, whose kind it sets.
  std::size_t lex();

  std::string_view text;
  std::size_t position;
  std::size_t previousEnd = 0;
  DumpToken token;
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
