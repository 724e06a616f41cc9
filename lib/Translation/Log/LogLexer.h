// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a log's attributes and locations into words, numbers, strings and
// signs. The text may contain any bytes: what is no such token is an Unknown
// token.

#ifndef NPU_LIB_TRANSLATION_LOG_LOGLEXER_H
#define NPU_LIB_TRANSLATION_LOG_LOGLEXER_H

#include <string>
#include <string_view>

namespace npu {

struct LogToken {
  enum class Kind {
    /// The end of the text, after blanks.
    End,
    /// Letters, digits, '_', '.', '$', not beginning with a digit.
    Word,
    /// Digits with an optional sign.
    Number,
    /// A string with its quotation marks, which ends on its line.
    String,
    /// One character, or "->" (whose '>' closes nothing).
    Sign,
    Unknown,
  };
  Kind kind = Kind::End;
  std::string_view text;
  std::size_t at = 0;
  /// Whether a line ends between the previous token and this one.
  bool startsLine = false;

  std::size_t end() const { return at + text.size(); }
  bool is(std::string_view sign) const {
    return kind == Kind::Sign && text == sign;
  }
  bool isWord() const { return kind == Kind::Word; }
};

class LogLexer {
public:
  /// Lexes the text from `begin` to `end`.
  LogLexer(std::string_view text, std::size_t begin, std::size_t end)
      : text(text.substr(0, end)), isWhole(this->text.size() == text.size()),
        position(begin), previousEnd(begin) {
    advance();
  }
  LogLexer(std::string_view text, std::size_t begin)
      : LogLexer(text, begin, text.size()) {}

  const LogToken &peek() const { return token; }
  /// Returns the current token and advances to the next one.
  LogToken take();
  /// Takes the current token if it is that sign; returns whether it is.
  bool takeIf(std::string_view sign);
  /// Takes the current token if it is that word in any case; returns whether it
  /// is.
  bool takeIfWord(std::string_view word);
  /// The end of the token before the current one.
  std::size_t endOfPrevious() const { return previousEnd; }
  /// Whether the End token is the end of the whole text, not only of a part of
  /// it.
  bool endsWithText() const { return isWhole; }

private:
  void advance();

  std::string_view text;
  bool isWhole;
  std::size_t position;
  std::size_t previousEnd;
  LogToken token;
};

/// Whether two texts are equal but for the case of ASCII letters.
bool equalsWithoutCase(std::string_view a, std::string_view b);

/// The value of a string token: without its quotation marks, and with `\"`,
/// `\\` and `\0A` resolved.
std::string unescape(std::string_view quoted);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGLEXER_H
