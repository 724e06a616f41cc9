// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses MLIR's syntax of locations by hand: MLIR's own parser would need the
// dialects of the metadata, and fails at the first attribute that it does not
// know.

#include "LogLocation.h"

#include "LogLexer.h"

#include <optional>

namespace npu {
namespace {

constexpr int kMaxNesting = 32;
/// The most occurrences of "loc(" that are tried: texts may contain some that
/// begin no location, and each is read up to its first error.
constexpr int kMaxAttempts = 16;

class LocationParser {
public:
  LocationParser(std::string_view text, std::size_t begin, std::size_t end)
      : text(text), lexer(text, begin, end) {}

  /// Parses loc(...).
  bool parse() {
    return lexer.takeIfWord("loc") && lexer.takeIf("(") && parseInner(0) &&
           lexer.takeIf(")");
  }
  std::size_t end() const { return lexer.endOfPrevious(); }

  LoggedLocation location;

private:
  bool parseInner(int depth) {
    if (depth > kMaxNesting)
      return false;
    const LogToken &token = lexer.peek();
    if (token.kind == LogToken::Kind::String)
      return parseNameOrFile(depth);
    if (lexer.takeIfWord("fused"))
      return parseFused(depth);
    if (lexer.takeIfWord("callsite"))
      return lexer.takeIf("(") && parseInner(depth + 1) &&
             lexer.takeIfWord("at") && parseInner(depth + 1) &&
             lexer.takeIf(")");
    if (lexer.takeIf("#"))
      return lexer.take().isWord();
    return lexer.takeIfWord("unknown");
  }

  /// Parses "name", "name"(inner) or "file":line:column.
  bool parseNameOrFile(int depth) {
    std::string name = unescape(lexer.take().text);
    if (lexer.takeIf(":"))
      return lexer.take().kind == LogToken::Kind::Number && lexer.takeIf(":") &&
             lexer.take().kind == LogToken::Kind::Number;
    if (!name.empty())
      location.names.push_back(std::move(name));
    return !lexer.takeIf("(") || (parseInner(depth + 1) && lexer.takeIf(")"));
  }

  /// Parses fused<metadata>[inner, ...].
  bool parseFused(int depth) {
    if (lexer.takeIf("<") && !(parseMetadata(depth) && lexer.takeIf(">")))
      return false;
    if (!lexer.takeIf("["))
      return false;
    do {
      if (!parseInner(depth + 1))
        return false;
    } while (lexer.takeIf(","));
    return lexer.takeIf("]");
  }

  /// Parses metadata {name = "Add_1106", type = "Add"} and skips any other.
  /// Only the metadata of the outermost location is kept.
  bool parseMetadata(int depth) {
    bool isDictionary = lexer.takeIf("{");
    if (!isDictionary)
      return skipValue();
    while (!lexer.takeIf("}")) {
      LogToken key = lexer.take();
      if (!key.isWord() && key.kind != LogToken::Kind::String)
        return false;
      std::string name =
          key.isWord() ? std::string(key.text) : unescape(key.text);
      std::string value;
      if (lexer.takeIf("=")) {
        LogToken token = lexer.peek();
        if (token.is(",") || token.is("}") || !skipValue())
          return false;
        // A value that is no string is kept as it is written.
        value = token.kind == LogToken::Kind::String
                    ? unescape(token.text)
                    : std::string(text.substr(token.at, lexer.endOfPrevious() -
                                                            token.at));
      }
      // MLIR's dictionaries have no empty names.
      if (depth == 0 && !name.empty() && !value.empty())
        location.properties.emplace_back(std::move(name), std::move(value));
      if (!lexer.takeIf(",") && !lexer.peek().is("}"))
        return false;
    }
    return true;
  }

  /// Skips everything up to a ',' or a closing sign of the enclosing list.
  bool skipValue() {
    for (int open = 0;;) {
      const LogToken &token = lexer.peek();
      if (token.kind == LogToken::Kind::End)
        return false;
      bool closes =
          token.is(">") || token.is("}") || token.is("]") || token.is(")");
      if (open == 0 && (closes || token.is(",")))
        return true;
      open += token.is("<") || token.is("{") || token.is("[") || token.is("(");
      open -= closes;
      lexer.take();
    }
  }

  std::string_view text;
  LogLexer lexer;
};

} // namespace

LoggedLocation findLogLocation(std::string_view text, std::size_t begin,
                               std::size_t end) {
  LoggedLocation found;
  text = text.substr(0, end);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    begin = text.find("loc(", begin);
    if (begin == std::string_view::npos)
      break;
    LocationParser parser(text, begin, end);
    if (parser.parse()) {
      found = std::move(parser.location);
      begin = parser.end();
    } else {
      begin += 1;
    }
  }
  return found;
}

} // namespace npu
