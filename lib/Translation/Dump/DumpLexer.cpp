// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpLexer.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>

namespace npu {
namespace {

bool isInName(char c) { return isInWord(c) || c == '-'; }
/// A NUL byte, too, stands between tokens.
bool isBlank(char c) { return llvm::isSpace(c) || c == '\0'; }

/// The end of a string that begins at `at`; nothing closes it: the end of its
/// line.
std::size_t endOfString(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"' && text[end] != '\n')
    end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
  return std::min(end + (end < text.size() && text[end] == '"'), text.size());
}

/// `// -----` between the parts of a file, and the banner of a pass.
bool dividesFile(std::string_view comment) {
  return comment.starts_with("// -----");
}

} // namespace

void DumpLexer::skipBlanks() {
  // Some editors begin a file with a byte order mark.
  if (position == 0 && text.starts_with("\xEF\xBB\xBF"))
    position = 3;
  while (position < text.size()) {
    if (isBlank(text[position])) {
      token.startsLine |= text[position++] == '\n';
      continue;
    }
    if (!text.substr(position).starts_with("//"))
      return;
    std::size_t end = std::min(text.find('\n', position), text.size());
    token.startsPart |= dividesFile(text.substr(position, end - position));
    position = end;
  }
}

std::size_t DumpLexer::lex() {
  using Kind = LogToken::Kind;
  std::size_t end = position + 1;
  char first = text[position];
  char second = end < text.size() ? text[end] : '\0';
  if (isLetter(first)) {
    token.kind = Kind::Word;
    extendWhile(end, isInWord);
    return end;
  }
  if (llvm::isDigit(first) || (first == '-' && llvm::isDigit(second))) {
    token.kind = Kind::Number;
    extendWhile(end, llvm::isDigit);
    if (end + 1 < text.size() && text[end] == '.' &&
        llvm::isDigit(text[end + 1])) {
      ++end;
      extendWhile(end, llvm::isDigit);
    }
    return end;
  }
  if (first == '"') {
    token.kind = Kind::String;
    return endOfString(text, position);
  }
  static constexpr std::array<std::pair<char, Kind>, 5> named = {
      {{'%', Kind::Value},
       {'@', Kind::Symbol},
       {'!', Kind::Type},
       {'#', Kind::Attribute},
       {'^', Kind::Block}}};
  for (auto [sign, kind] : named) {
    bool isNamed = isInWord(second) || (sign == '@' && second == '"');
    if (first != sign || !isNamed)
      continue;
    token.kind = kind;
    if (second == '"')
      return endOfString(text, end);
    extendWhile(end, sign == '%' ? isInName : isInWord);
    // One of several results.
    if (sign == '%' && end + 1 < text.size() && text[end] == '#' &&
        llvm::isDigit(text[end + 1])) {
      ++end;
      extendWhile(end, llvm::isDigit);
    }
    return end;
  }
  token.kind = Kind::Sign;
  for (std::string_view sign : {"->", ">=", "<=", "==", "::"})
    if (text.substr(position).starts_with(sign))
      return position + sign.size();
  if (std::string_view("()[]{}<>,=:|?*+-/").find(first) ==
      std::string_view::npos)
    token.kind = Kind::Unknown;
  return end;
}

void DumpLexer::advance() {
  token = {};
  skipBlanks();
  token.at = position;
  if (position >= text.size())
    return;
  std::size_t end = lex();
  token.text = text.substr(position, end - position);
  position = end;
}

void DumpLexer::jump(std::size_t to) {
  position = std::max(to, previousEnd);
  previousEnd = position;
  advance();
}

BracketEnd endOfBracket(std::string_view text, std::size_t at) {
  DumpLexer lexer(text, at);
  std::string_view open = lexer.take().text;
  std::string_view close = open == "("   ? ")"
                           : open == "[" ? "]"
                           : open == "<" ? ">"
                                         : "}";
  for (int depth = 1;;) {
    const LogToken &token = lexer.peek();
    if (token.kind == LogToken::Kind::End || token.startsPart ||
        beginsDefinition(lexer))
      return {lexer.endOfPrevious(), false};
    depth += token.is(open);
    depth -= token.is(close);
    if (depth == 0)
      return {token.end(), true};
    lexer.take();
  }
}

/// Whether `%0 = VPU.Copy` stands here: a printer begins a line with it, and
/// people do not have to.
static bool beginsOperation(const DumpLexer &lexer) {
  using Kind = LogToken::Kind;
  if (lexer.peek().kind != Kind::Value)
    return false;
  DumpLexer ahead = lexer;
  ahead.take();
  if (!ahead.takeIf("="))
    return false;
  const LogToken &name = ahead.peek();
  return name.kind == Kind::String ||
         (name.kind == Kind::Word &&
          name.text.find('.') != std::string_view::npos);
}

bool beginsDefinition(const DumpLexer &lexer) {
  using Kind = LogToken::Kind;
  const LogToken &first = lexer.peek();
  if (!first.startsLine)
    return beginsOperation(lexer);
  if (first.kind == Kind::Word)
    return first.text == "func.func" || first.text == "module";
  if (first.kind != Kind::Value && first.kind != Kind::Type &&
      first.kind != Kind::Attribute)
    return false;
  DumpLexer ahead = lexer;
  ahead.take();
  if (ahead.peek().is("="))
    return true;
  return first.kind == Kind::Value &&
         (ahead.peek().is(":") || ahead.peek().is(",")) && [&] {
           // %0:2 = or %0, %1 =
           while (!ahead.peek().startsLine &&
                  (ahead.takeIf(",") || ahead.takeIf(":") ||
                   ((ahead.peek().kind == Kind::Value ||
                     ahead.peek().kind == Kind::Number) &&
                    (ahead.take(), true))))
             if (ahead.peek().is("="))
               return true;
           return false;
         }();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

} // namespace npu
