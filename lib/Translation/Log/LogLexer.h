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

/// A token of a log, or of a dump of the field compiler's IR.
struct LogToken {
  enum class Kind {
    /// The end of the text, after blanks.
    End,
    /// Letters, digits, '_', '.', '$', not beginning with a digit.
    Word,
    /// Digits with an optional sign; in dumps, with an optional fraction.
    Number,
    /// With its quotation marks. In logs it ends on its line.
    String,
    /// %name, %0, %0#1 in dumps
    Value,
    /// @name or @"name" in dumps
    Symbol,
    /// !name in dumps
    Type,
    /// #name in dumps
    Attribute,
    /// ^name in dumps
    Block,
    /// One character, or "->" (whose '>' closes nothing); in dumps also one of
    /// >= <= == ::
    Sign,
    /// A byte that begins no token.
    Unknown,
  };
  Kind kind = Kind::End;
  std::string_view text;
  std::size_t at = 0;
  /// Whether a line ends between the previous token and this one.
  bool startsLine = false;
  /// Whether a comment that divides a dump stands between the previous token
  /// and this one.
  bool startsPart = false;

  std::size_t end() const { return at + text.size(); }
  bool is(std::string_view sign) const {
    return kind == Kind::Sign && text == sign;
  }
  bool isWord() const { return kind == Kind::Word; }
  bool isWord(std::string_view word) const { return isWord() && text == word; }
  bool opens() const { return is("(") || is("[") || is("<") || is("{"); }
  bool closes() const { return is(")") || is("]") || is(">") || is("}"); }
};

/// What the lexers of logs and of dumps have in common.
class TextLexer {
public:
  const LogToken &peek() const { return token; }
  /// Returns the current token and advances to the next one.
  LogToken take();
  /// Takes the current token if it is that sign; returns whether it is.
  bool takeIf(std::string_view sign);
  /// Skips a value of any form, up to the ',' or the closing sign after it;
  /// returns whether there is one.
  bool skipValue();
  /// The end of the token before the current one.
  std::size_t endOfPrevious() const { return previousEnd; }

protected:
  TextLexer(std::string_view text, std::size_t begin)
      : text(text), position(begin), previousEnd(begin) {}
  ~TextLexer() = default;

  virtual void advance() = 0;
  /// Moves `end` on over characters that belong to a token.
  void extendWhile(std::size_t &end, bool (*belongs)(char)) const;

  std::string_view text;
  std::size_t position, previousEnd;
  LogToken token;
};

class LogLexer final : public TextLexer {
public:
  /// Lexes the text from `begin` to `end`.
  LogLexer(std::string_view text, std::size_t begin, std::size_t end)
      : TextLexer(text.substr(0, end), begin),
        isWhole(this->text.size() == text.size()) {
    advance();
  }
  LogLexer(std::string_view text, std::size_t begin)
      : LogLexer(text, begin, text.size()) {}

  /// Takes the current token if it is that word in any case; returns whether it
  /// is.
  bool takeIfWord(std::string_view word);
  /// Whether the End token is the end of the whole text, not only of a part of
  /// it.
  bool endsWithText() const { return isWhole; }
  /// Whether the text ends right after the current word or number, so that it
  /// may be the beginning of another one.
  bool mayBeCutHere() const {
    return isWhole && token.end() == text.size() &&
           (token.isWord() || token.kind == LogToken::Kind::Number);
  }

private:
  void advance() override;

  bool isWhole;
};

/// Whether a character begins a word, and whether it goes on with one.
bool isLetter(char c);
bool isInWord(char c);

/// Whether two texts are equal but for the case of ASCII letters.
bool equalsWithoutCase(std::string_view a, std::string_view b);

/// The value of a string token: without its quotation marks, and with `\"`,
/// `\\` and `\0A` resolved.
std::string unescape(std::string_view quoted);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_LOGLEXER_H
