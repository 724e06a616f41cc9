// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words, numbers, strings and signs that a log's attributes and locations
// are made of. Any bytes may come: what is none of these is an Unknown token.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGLEXER_H
#define NPU_LIB_TRANSLATION_LOG_LOGLEXER_H

#include <string>
#include <string_view>

namespace npu {

struct LogToken {
  enum class Kind {
    /// Nothing but blanks up to the end of the text.
    End,
    /// Letters, digits, '_', '.', '$', not beginning with a digit.
    Word,
    /// Digits with an optional sign.
    Number,
    /// With its quotation marks; ends on its line.
    String,
    /// One character, or "->" (whose '>' closes nothing).
    Sign,
    Unknown,
  };
  Kind kind = Kind::End;
  std::string_view text;
  std::size_t at = 0;
  /// A line ends between this token and the one before it.
  bool startsLine = false;

  std::size_t end() const { return at + text.size(); }
  bool is(std::string_view sign) const {
    return kind == Kind::Sign && text == sign;
  }
  bool isWord() const { return kind == Kind::Word; }
};

class LogLexer {
public:
  /// Reads from `begin`, and nothing at or beyond `end`.
  LogLexer(std::string_view text, std::size_t begin, std::size_t end)
      : text(text.substr(0, end)), isWhole(this->text.size() == text.size()),
        position(begin), previousEnd(begin) {
    advance();
  }
  LogLexer(std::string_view text, std::size_t begin)
      : LogLexer(text, begin, text.size()) {}

  const LogToken &peek() const { return token; }
  /// Goes on to the next token; gives the one that was read.
  LogToken take();
  /// Takes the token when it is that sign.
  bool takeIf(std::string_view sign);
  /// The same for a word, whatever its case.
  bool takeIfWord(std::string_view word);
  /// Where the token before the present one ended.
  std::size_t endOfPrevious() const { return previousEnd; }
  /// The End token is the end of all text, not only of the part that is read.
  bool endsWithText() const { return isWhole; }

private:
  void advance();

  std::string_view text;
  bool isWhole;
  std::size_t position;
  std::size_t previousEnd;
  LogToken token;
};

/// ASCII letters compare without their case.
bool equalsWithoutCase(std::string_view a, std::string_view b);

/// What a string token means: without its marks, `\"`, `\\` and `\0A` resolved.
std::string unescape(std::string_view quoted);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGLEXER_H
