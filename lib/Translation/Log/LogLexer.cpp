// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogLexer.h"

#include <algorithm>
#include <utility>

namespace npu {
namespace {

// These functions do not depend on the locale, as those of the C library do.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isInWord(char c) {
  return isLetter(c) || isDigit(c) || c == '.' || c == '$';
}
bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
         c == '\v';
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

int hexDigit(char c) {
  if (isDigit(c))
    return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

} // namespace

void LogLexer::advance() {
  token = {};
  while (position < text.size() && isBlank(text[position]))
    token.startsLine |= text[position++] == '\n';
  token.at = position;
  if (position == text.size())
    return;
  std::size_t end = position + 1;
  auto extendWhile = [&](bool (*belongs)(char)) {
    while (end < text.size() && belongs(text[end]))
      ++end;
  };
  char first = text[position];
  bool signedNumber = first == '-' && end < text.size() && isDigit(text[end]);
  if (isLetter(first)) {
    token.kind = LogToken::Kind::Word;
    extendWhile(isInWord);
  } else if (isDigit(first) || signedNumber) {
    token.kind = LogToken::Kind::Number;
    extendWhile(isDigit);
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

LogToken LogLexer::take() {
  LogToken taken = token;
  previousEnd = token.end();
  advance();
  return taken;
}

bool LogLexer::takeIf(std::string_view sign) {
  if (!token.is(sign))
    return false;
  take();
  return true;
}

bool LogLexer::takeIfWord(std::string_view word) {
  if (!token.isWord() || !equalsWithoutCase(token.text, word))
    return false;
  take();
  return true;
}

bool equalsWithoutCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
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
    int high = hexDigit(next);
    int low = i + 1 < inside.size() ? hexDigit(inside[i + 1]) : -1;
    if (high >= 0 && low >= 0) {
      result += static_cast<char>(high * 16 + low);
      ++i;
    } else {
      result += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
  }
  return result;
}

} // namespace npu
