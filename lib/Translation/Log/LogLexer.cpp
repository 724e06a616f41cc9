// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogLexer.h"

#include "llvm/ADT/StringExtras.h"

namespace npu {

bool isLetter(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isInWord(char c) {
  return isLetter(c) || llvm::isDigit(c) || c == '.' || c == '$';
}

LogToken TextLexer::take() {
  LogToken taken = token;
  previousEnd = token.end();
  advance();
  return taken;
}

bool TextLexer::takeIf(std::string_view sign) {
  if (!token.is(sign))
    return false;
  take();
  return true;
}

bool TextLexer::skipValue() {
  for (int open = 0; token.kind != LogToken::Kind::End; take()) {
    if (open == 0 && (token.closes() || token.is(",")))
      return true;
    open += token.opens();
    open -= token.closes();
  }
  return false;
}

void TextLexer::extendWhile(std::size_t &end, bool (*belongs)(char)) const {
  while (end < text.size() && belongs(text[end]))
    ++end;
}

void LogLexer::advance() {
  token = {};
  while (position < text.size() && llvm::isSpace(text[position]))
    token.startsLine |= text[position++] == '\n';
  token.at = position;
  if (position == text.size())
    return;
  std::size_t end = position + 1;
  char first = text[position];
  bool signedNumber =
      first == '-' && end < text.size() && llvm::isDigit(text[end]);
  if (isLetter(first)) {
    token.kind = LogToken::Kind::Word;
    extendWhile(end, isInWord);
  } else if (llvm::isDigit(first) || signedNumber) {
    token.kind = LogToken::Kind::Number;
    extendWhile(end, llvm::isDigit);
  } else if (first == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n') {
      bool escapes =
          text[end] == '\\' && end + 1 < text.size() && text[end + 1] != '\n';
      end += escapes ? 2 : 1;
    }
    bool closed = end < text.size() && text[end] == '"';
    token.kind = closed ? LogToken::Kind::String : LogToken::Kind::Unknown;
    end += closed;
  } else if (first == '-' && end < text.size() && text[end] == '>') {
    token.kind = LogToken::Kind::Sign;
    ++end;
  } else if (std::string_view("<>[]{}(),=:|#").find(first) !=
             std::string_view::npos) {
    token.kind = LogToken::Kind::Sign;
  } else {
    token.kind = LogToken::Kind::Unknown;
  }
  token.text = text.substr(position, end - position);
  position = token.end();
}

bool LogLexer::takeIfWord(std::string_view word) {
  if (!token.isWord() || !equalsWithoutCase(token.text, word))
    return false;
  take();
  return true;
}

bool equalsWithoutCase(std::string_view a, std::string_view b) {
  return llvm::StringRef(a).equals_insensitive(b);
}

std::string unescape(std::string_view quoted) {
  std::string result;
  std::string_view inside = quoted.substr(1, quoted.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      result += inside[i];
      continue;
    }
    char next = inside[++i];
    bool isHex = llvm::isHexDigit(next) && i + 1 < inside.size() &&
                 llvm::isHexDigit(inside[i + 1]);
    if (isHex) {
      result += static_cast<char>(llvm::hexFromNibbles(next, inside[++i]));
    } else {
      result += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
  }
  return result;
}

} // namespace npu
