// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the errors in a log, and reads each: location, sentence, attributes.

#include "LogAttributeParser.h"

#include "LogLexer.h"
#include "npu/Translation/Log/NpuLog.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace npu {
namespace {

// Parses MLIR's syntax of locations by hand: MLIR's own parser would need the
// dialects of the metadata, and fails at the first attribute that it does not
// know.

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
      return lexer.skipValue();
    while (!lexer.takeIf("}")) {
      LogToken key = lexer.take();
      if (!key.isWord() && key.kind != LogToken::Kind::String)
        return false;
      std::string name =
          key.isWord() ? std::string(key.text) : unescape(key.text);
      std::string value;
      if (lexer.takeIf("=")) {
        LogToken token = lexer.peek();
        if (token.is(",") || token.is("}") || !lexer.skipValue())
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

  std::string_view text;
  LogLexer lexer;
};

/// Parses the last `loc(...)` between `begin` and `end`; the result is empty
/// where there is none that can be parsed.
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

/// Matches the error sentence at `at` in any case of letters and with any
/// number of blanks. Returns its end.
std::optional<std::size_t> matchSentence(std::string_view text,
                                         std::size_t at) {
  auto isBlank = [](char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  };
  std::string_view rest = kIncompatibleSentence;
  while (true) {
    std::size_t length = std::min(rest.find(' '), rest.size());
    if (!equalsWithoutCase(text.substr(at, length), rest.substr(0, length)))
      return std::nullopt;
    at += length;
    if (length == rest.size())
      return at;
    rest.remove_prefix(length + 1);
    std::size_t wordEnd = at;
    while (at < text.size() && isBlank(text[at]))
      ++at;
    if (at == wordEnd)
      return std::nullopt;
  }
}

struct Sentence {
  std::size_t begin;
  std::size_t end;
  /// The operation's name, which begins the sentence.
  std::string_view op;
};

bool endsWithoutCase(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equalsWithoutCase(text.substr(text.size() - end.size()), end);
}

/// The name of an operation that casts, right before `end`: PermuteCast,
/// VPU.DistributedCast, ShapeCastOp. Empty where another word stands there.
std::string_view castBefore(std::string_view text, std::size_t end) {
  std::string_view before = text.substr(0, end);
  std::size_t last = before.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || last + 1 == end)
    return "";
  std::size_t first = last + 1;
  auto isInName = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  // A name is short, so that no text is read twice.
  while (first > 0 && isInName(text[first - 1]) && last + 1 - first < 64)
    --first;
  std::string_view name = text.substr(first, last + 1 - first);
  for (std::string_view kind :
       {"cast", "castop", "reshape", "reshapeop", "view", "viewop"})
    if (endsWithoutCase(name, kind))
      return name;
  return "";
}

/// Finds every occurrence of the sentence that attributes follow, or with which
/// the log ends: people also quote the sentence in prose.
std::vector<Sentence> findSentences(std::string_view text) {
  std::vector<Sentence> sentences;
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_of("iI", at);
    if (at == std::string_view::npos)
      break;
    std::optional<std::size_t> end = matchSentence(text, at);
    if (!end) {
      ++at;
      continue;
    }
    LogLexer after(text, *end);
    std::string_view op = castBefore(text, at);
    if (!op.empty() &&
        (after.peek().is(":") || after.peek().kind == LogToken::Kind::End))
      sentences.push_back(
          {static_cast<std::size_t>(op.data() - text.data()), *end, op});
    at = *end;
  }
  return sentences;
}

/// The last "input length: 336" or "prompt_len = 336" between `begin` and
/// `end`.
std::optional<int64_t> findPromptLength(std::string_view text,
                                        std::size_t begin, std::size_t end) {
  auto isOneOf = [](std::string_view word,
                    std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view each) {
      return equalsWithoutCase(word, each);
    });
  };
  std::optional<int64_t> found;
  LogLexer lexer(text, begin, end);
  while (lexer.peek().kind != LogToken::Kind::End) {
    LogToken word = lexer.take();
    bool named = isOneOf(word.text, {"input", "prompt"}) &&
                 isOneOf(lexer.peek().text, {"length", "len"});
    if (named)
      lexer.take();
    else
      named = isOneOf(word.text, {"input_length", "input_len", "prompt_length",
                                  "prompt_len"});
    if (!named || !(lexer.takeIf(":") || lexer.takeIf("=")))
      continue;
    int64_t length = 0;
    std::string_view digits = lexer.peek().text;
    auto [last, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (problem == std::errc() && last == digits.data() + digits.size() &&
        length > 0)
      found = length;
  }
  return found;
}

class ErrorParser {
public:
  ErrorParser(std::string_view text, std::size_t begin, std::size_t end,
              LoggedError &logged)
      : lexer(text, begin, end), logged(logged) {}

  void parse() {
    lexer.takeIf(":");
    if (parseSide(logged.in, "in") && parseSide(logged.out, "out"))
      parseExpected();
  }

private:
  /// Parses `in = #VPU.DistributedTensor<...>`.
  bool parseSide(LoggedAttribute &attribute, std::string_view side) {
    attribute.side = side;
    lexer.takeIf(",");
    bool named = lexer.takeIfWord(side);
    if (named && lexer.takeIf("="))
      return LogAttributeParser(lexer, attribute, logged.messages).parse();
    const LogToken &token = lexer.peek();
    bool ends = token.kind == LogToken::Kind::End || lexer.mayBeCutHere();
    std::string text =
        ends || token.startsLine
            ? fmt::format("the {} ends before '{}': expected '{} = "
                          "#VPU.DistributedTensor<...>'",
                          ends && lexer.endsWithText() ? "log" : "line", side,
                          side)
            : fmt::format("expected '{} = #VPU.DistributedTensor<...>', got {}",
                          side, quoted(token));
    logged.messages.push_back(
        {LogMessage::Severity::Error,
         ends || token.startsLine ? lexer.endOfPrevious() : token.at,
         std::move(text)});
    logged.messages.back().isCut = ends && lexer.endsWithText();
    return false;
  }

  /// Parses the expected attribute. A failure is only a remark, because the
  /// attribute follows from `in`.
  void parseExpected() {
    std::size_t at = lexer.endOfPrevious();
    std::string why = "the log has no 'expected'";
    lexer.takeIf(",");
    if (lexer.takeIfWord("expected") && lexer.takeIf("=")) {
      LoggedAttribute attribute;
      attribute.side = "expected";
      LogMessages messages;
      if (LogAttributeParser(lexer, attribute, messages).parse())
        logged.expected = std::move(attribute);
      for (LogMessage &message : messages) {
        if (message.severity == LogMessage::Severity::Remark) {
          logged.messages.push_back(std::move(message));
          continue;
        }
        at = message.at;
        why = message.shortText.empty() ? message.text : message.shortText;
      }
    }
    if (!logged.expected)
      logged.messages.push_back({LogMessage::Severity::Remark, at,
                                 why + "; computed from 'in' and the cast"});
  }

  LogLexer lexer;
  LoggedError &logged;
};

} // namespace

bool hasErrors(const LogMessages &messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const LogMessage &message) {
                       return message.severity == LogMessage::Severity::Error;
                     });
}

bool changesOrder(const LoggedError &error) {
  for (std::string_view name : {"permutecast", "permutecastop"})
    if (endsWithoutCase(error.op, name))
      return true;
  return false;
}

std::vector<LoggedError> parseNpuLog(std::string_view text) {
  std::vector<Sentence> sentences = findSentences(text);
  std::vector<LoggedError> errors(sentences.size());
  std::size_t previousEnd = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    LoggedError &logged = errors[i];
    std::size_t begin = sentences[i].begin;
    logged.at = begin;
    logged.op = sentences[i].op;
    // The location is on the line of the sentence. No byte is read for two
    // errors, so that parsing is linear.
    std::string_view before = text.substr(previousEnd, begin - previousEnd);
    logged.promptLength = findPromptLength(text, previousEnd, begin);
    if (!logged.promptLength && i > 0)
      logged.promptLength = errors[i - 1].promptLength;
    std::size_t newline = before.rfind('\n');
    if (newline != std::string_view::npos)
      previousEnd += newline + 1;
    logged.location = findLogLocation(text, previousEnd, begin);
    previousEnd = sentences[i].end;
    std::size_t end =
        i + 1 < sentences.size() ? sentences[i + 1].begin : text.size();
    ErrorParser(text, sentences[i].end, end, logged).parse();
  }
  return errors;
}

std::optional<CutLine> cutLineOf(std::string_view text) {
  if (text.empty() || text.back() == '\n')
    return std::nullopt;
  std::size_t begin = text.rfind('\n') + 1;
  return CutLine{text.size(), findLogLocation(text, begin, text.size())};
}

LogLines::LogLines(std::string_view text) : lineStarts{0} {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1))
    lineStarts.push_back(at + 1);
}

LogLines::Position LogLines::position(std::size_t at) const {
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), at);
  auto line = static_cast<unsigned>(next - lineStarts.begin());
  return {line, static_cast<unsigned>(at - *(next - 1)) + 1};
}

} // namespace npu
