// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpLists.h"
#include "DumpLexer.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace npu {

std::vector<std::string_view> splitList(std::string_view text) {
  std::vector<std::string_view> parts;
  int open = 0;
  DumpLexer lexer(text);
  // Comments may stand before and after a part.
  std::size_t begin = lexer.peek().at, end = begin;
  for (;;) {
    LogToken token = lexer.take();
    bool ends = token.kind == LogToken::Kind::End;
    open += token.opens();
    open -= token.closes();
    if (!ends && (open != 0 || !token.is(","))) {
      end = token.end();
      continue;
    }
    std::string_view part = text.substr(begin, end - begin);
    if (!part.empty() || !ends)
      parts.push_back(part);
    begin = end = lexer.peek().at;
    if (ends)
      return parts;
  }
}

std::optional<std::string_view> findEntry(std::string_view list,
                                          std::string_view name) {
  for (std::string_view part : splitList(list)) {
    DumpLexer lexer(part);
    if (lexer.take().text == name && lexer.peek().is("=")) {
      lexer.take();
      return trimmed(part.substr(lexer.peek().at));
    }
  }
  return std::nullopt;
}

std::optional<Extents> parseNumbers(std::string_view text) {
  text = trimmed(text);
  // array<i64: 1, 2, 3> is another form.
  if (text.starts_with("array<i64") && text.back() == '>') {
    std::size_t colon = std::min(text.find(':'), text.size() - 2);
    text = text.substr(colon, text.size() - colon);
  } else if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    return std::nullopt;
  }
  Extents numbers;
  for (std::string_view part : splitList(text.substr(1, text.size() - 2))) {
    llvm::StringRef digits = llvm::StringRef(part).take_until(
        [](char c) { return c == ' ' || c == ':'; });
    int64_t number = 0;
    if (digits.getAsInteger(10, number) || numbers.size() == kMaxRank)
      return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

} // namespace npu
