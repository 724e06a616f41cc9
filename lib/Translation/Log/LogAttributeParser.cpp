// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogAttributeParser.h"

#include "npu/Placement/Distributions/Distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace npu {

std::string quoted(const LogToken &token) {
  constexpr std::size_t shown = 32;
  std::string result = "'";
  for (char c : token.text.substr(0, shown)) {
    if (c >= ' ' && c <= '~')
      result += c;
    else
      result += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return result + (token.text.size() > shown ? "...'" : "'");
}

bool LogAttributeParser::error(std::size_t at, std::string text) {
  messages.push_back({LogMessage::Severity::Error, at, std::move(text)});
  return false;
}

std::string LogAttributeParser::place() const {
  if (fieldName.empty())
    return fmt::format("'{}'", attribute.side);
  return fmt::format("'{}' of '{}'", fieldName, attribute.side);
}

bool LogAttributeParser::fail(std::string_view expected) {
  const LogToken &token = lexer.peek();
  bool ends = token.kind == LogToken::Kind::End || lexer.mayBeCutHere();
  if (ends || token.startsLine) {
    std::string text =
        fmt::format("the {} ends inside {}",
                    ends && lexer.endsWithText() ? "log" : "line", place());
    error(lexer.endOfPrevious(),
          fmt::format("{}: expected {}", text,
                      missing.empty() ? expected : missing));
    messages.back().shortText = std::move(text);
    messages.back().isCut = ends && lexer.endsWithText();
    return false;
  }
  return error(token.at, fmt::format("expected {} inside {}, got {}", expected,
                                     place(), quoted(token)));
}

std::size_t LogAttributeParser::expectedRows() const {
  if (const LoggedField *clusters = attribute.find("num_clusters")) {
    int64_t count = clusters->rows.front().numbers[0];
    if (count > 0 && count <= kMaxTiles)
      return static_cast<std::size_t>(count);
  }
  for (const LoggedField &field : attribute.fields)
    if (findFieldDefinition(field.name)->kind == FieldKind::Rows)
      return field.rows.size();
  return 0;
}

bool LogAttributeParser::parse() {
  attribute.at = lexer.peek().at;
  if (lexer.takeIf("#")) {
    LogToken name = lexer.peek();
    bool known = name.text == "VPU.DistributedTensor" ||
                 name.text == "VPU.DistributionInfo" ||
                 name.text == "VPU.DistributedTensorAttr" ||
                 name.text == "VPU.DistributionInfoAttr";
    if (name.isWord())
      lexer.take();
    // A field name that is cut off is the last token of its line.
    if (!known && name.isWord() && lexer.peek().kind != LogToken::Kind::End &&
        !lexer.peek().startsLine)
      return error(name.at, fmt::format("expected #VPU.DistributedTensor or "
                                        "#VPU.DistributionInfo as '{}', got {}",
                                        attribute.side, quoted(name)));
  }
  bool braces = lexer.peek().is("{");
  if (!lexer.takeIf(braces ? "{" : "<"))
    return fail("#VPU.DistributedTensor<...> or #VPU.DistributionInfo<...>");
  std::string_view close = braces ? "}" : ">";
  if (lexer.takeIf(close))
    return true;
  do {
    if (!parseField())
      return false;
  } while (lexer.takeIf(","));
  if (lexer.takeIf(close))
    return true;
  return fail(fmt::format("',' or '{}' after '{}'", close, lastField));
}

bool LogAttributeParser::parseField() {
  if (!lexer.peek().isWord())
    return fail("a field's name");
  LogToken name = lexer.take();
  lastField = name.text.substr(0, 64);
  const FieldDefinition *definition = findFieldDefinition(name.text);
  if (!definition)
    return skipUnknownField(name);
  fieldName = lastField;
  if (attribute.find(fieldName))
    return error(name.at, fmt::format("'{}' of '{}' is given twice", fieldName,
                                      attribute.side));
  LoggedField field;
  field.name = fieldName;
  field.at = name.at;
  if (definition->kind == FieldKind::Unit) {
    if (!lexer.takeIf("=")) {
      attribute.fields.push_back(std::move(field));
      fieldName.clear();
      return true;
    }
  } else if (!lexer.takeIf("=")) {
    return fail("'='");
  }
  bool present = true;
  if (definition->kind == FieldKind::Unit) {
    if (lexer.takeIfWord("false"))
      present = false;
    else if (!lexer.takeIfWord("unit") && !lexer.takeIfWord("true"))
      return fail("unit, true or false");
  } else if (!parseValue(definition->kind, field)) {
    return false;
  }
  if (present)
    attribute.fields.push_back(std::move(field));
  fieldName.clear();
  return true;
}

bool LogAttributeParser::parseValue(FieldKind kind, LoggedField &field) {
  switch (kind) {
  case FieldKind::Words:
    return parseWords(field);
  case FieldKind::Number:
    field.rows.emplace_back();
    return parseNumber(field.rows.back());
  case FieldKind::Numbers:
    field.rows.emplace_back();
    return parseNumbers(field.rows.back());
  case FieldKind::Rows:
    return parseRows(field);
  case FieldKind::Pads:
    field.rows.emplace_back();
    return parsePads(field.rows.back());
  case FieldKind::Unit:
    break;
  }
  return true;
}

static bool isInMode(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '|';
}

bool LogAttributeParser::parseWords(LoggedField &field) {
  if (lexer.peek().kind == LogToken::Kind::String) {
    field.words = unescape(lexer.peek().text);
    std::erase(field.words, ' ');
    if (field.words.size() > 64 ||
        !std::all_of(field.words.begin(), field.words.end(), isInMode))
      return fail("a mode");
    lexer.take();
    return true;
  }
  bool angle = lexer.takeIf("<");
  do {
    if (!lexer.peek().isWord() || lexer.peek().text.size() > 32)
      return fail("a mode");
    if (!field.words.empty())
      field.words += '|';
    field.words += lexer.take().text;
  } while (lexer.takeIf("|"));
  return !angle || lexer.takeIf(">") || fail("'|' or '>'");
}

bool LogAttributeParser::parseNumber(LoggedRow &row) {
  if (lexer.peek().kind != LogToken::Kind::Number)
    return fail("a number");
  LogToken token = lexer.take();
  int64_t value = 0;
  auto [end, code] = std::from_chars(
      token.text.data(), token.text.data() + token.text.size(), value);
  if (code != std::errc())
    return error(token.at, fmt::format("expected a number that fits in 64 bits "
                                       "inside {}, got {}",
                                       place(), quoted(token)));
  if (row.numbers.empty())
    row.at = token.at;
  if (row.numbers.size() == kMaxRank)
    return error(token.at, fmt::format("expected at most {} numbers in a row "
                                       "of {}, got more",
                                       kMaxRank, place()));
  row.numbers.push_back(value);
  // Take the type of `4 : i64`.
  if (!lexer.takeIf(":"))
    return true;
  if (!lexer.peek().isWord())
    return fail("a type");
  lexer.take();
  return true;
}

bool LogAttributeParser::parseNumbers(LoggedRow &row) {
  std::size_t start = lexer.peek().at;
  if (!lexer.takeIf("["))
    return fail("'['");
  do {
    if (!parseNumber(row))
      return false;
  } while (lexer.takeIf(","));
  row.at = start;
  return lexer.takeIf("]") || fail("',' or ']'");
}

bool LogAttributeParser::parseRows(LoggedField &field) {
  if (!lexer.takeIf("["))
    return fail("'['");
  std::size_t expected = expectedRows();
  auto countMissing = [&] {
    missing = expected > field.rows.size()
                  ? fmt::format("{} boxes, got {}", expected, field.rows.size())
                  : "";
  };
  do {
    if (field.rows.size() == static_cast<std::size_t>(kMaxTiles))
      return error(lexer.peek().at, fmt::format("expected at most {} boxes "
                                                "inside {}, got more",
                                                kMaxTiles, place()));
    countMissing();
    LoggedRow row;
    if (!parseNumbers(row))
      return false;
    field.rows.push_back(row);
  } while (lexer.takeIf(","));
  countMissing();
  if (!lexer.takeIf("]"))
    return fail("',' or ']'");
  missing.clear();
  return true;
}

bool LogAttributeParser::parsePads(LoggedRow &row) {
  static constexpr std::string_view sides[] = {"left", "right", "top",
                                               "bottom"};
  row.at = lexer.peek().at;
  if (lexer.takeIf("#") && !lexer.take().isWord())
    return fail("#VPU.Padding<...>");
  bool braces = lexer.peek().is("{");
  std::string_view close = braces ? "}" : ">";
  if (!lexer.takeIf(braces ? "{" : "<"))
    return fail("#VPU.Padding<...>");
  row.numbers = Extents(4, 0);
  do {
    const auto *side =
        std::find(std::begin(sides), std::end(sides), lexer.peek().text);
    if (side == std::end(sides))
      return fail("left, right, top or bottom");
    lexer.take();
    if (!lexer.takeIf("="))
      return fail("'='");
    LoggedRow value;
    if (!parseNumber(value))
      return false;
    row.numbers[side - std::begin(sides)] = value.numbers[0];
  } while (lexer.takeIf(","));
  return lexer.takeIf(close) || fail(fmt::format("',' or '{}'", close));
}

bool LogAttributeParser::skipUnknownField(const LogToken &name) {
  constexpr int told = 8;
  if (++unknownFields <= told)
    messages.push_back(
        {LogMessage::Severity::Remark, name.at,
         fmt::format("unknown field {} of '{}' is skipped{}", quoted(name),
                     attribute.side,
                     unknownFields == told ? ", as are any further ones"
                                           : "")});
  fieldName = lastField;
  if (!lexer.skipValue())
    return fail("',' or '>'");
  fieldName.clear();
  return true;
}

} // namespace npu
