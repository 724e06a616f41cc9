// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpyHeader.h"

#include <fmt/format.h>

#include <charconv>

namespace npu {
namespace {

/// The printable part of a header, which may contain any bytes, for a message.
std::string printable(std::string_view text) {
  constexpr size_t shown = 20;
  std::string result;
  for (char c : text.substr(0, shown))
    result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > shown ? result + "..." : result;
}

/// Parses a header. Functions that take an item return false where something
/// else stands, with a message in `wrong`.
class Parser {
public:
  explicit Parser(std::string_view text) : rest(text) {}

  bool parse(NpyHeader &header) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return fail("a dictionary");
    while (!take('}')) {
      std::string key;
      if (!takeString(key, "a key"))
        return false;
      bool *has = key == "descr"           ? &hasDescr
                  : key == "fortran_order" ? &hasOrder
                  : key == "shape"         ? &hasShape
                                           : nullptr;
      if (!has || *has) {
        wrong = fmt::format("expected descr, fortran_order and shape once "
                            "each, got '{}'{}",
                            printable(key), has ? " again" : "");
        return false;
      }
      *has = true;
      if (!take(':'))
        return fail("':' behind a key");
      bool isTaken = has == &hasDescr   ? takeString(header.descr, "a type's "
                                                                   "name")
                     : has == &hasOrder ? takeBool(header.fortranOrder)
                                        : takeShape(header.shape);
      if (!isTaken)
        return false;
      if (!take(',') && !next('}'))
        return fail("',' or '}' behind an entry");
    }
    skipSpaces();
    if (!rest.empty())
      return fail("nothing behind the dictionary");
    if (!hasDescr || !hasOrder || !hasShape) {
      wrong = fmt::format("expected descr, fortran_order and shape, got no {}",
                          !hasDescr   ? "descr"
                          : !hasOrder ? "fortran_order"
                                      : "shape");
      return false;
    }
    header.descr = printable(header.descr);
    return true;
  }

  std::string wrong;

private:
  void skipSpaces() {
    size_t at = rest.find_first_not_of(" \n");
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at);
  }
  bool next(char c) {
    skipSpaces();
    return !rest.empty() && rest[0] == c;
  }
  bool take(char c) {
    if (!next(c))
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool fail(std::string_view what) {
    skipSpaces();
    wrong = fmt::format("expected {}, got {}", what,
                        rest.empty() ? "the end of the header"
                                     : "'" + printable(rest) + "'");
    return false;
  }

  bool takeString(std::string &value, std::string_view what) {
    char quote = next('"') ? '"' : '\'';
    size_t end = next(quote) ? rest.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return fail(fmt::format("{} in quotes", what));
    value = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool takeBool(bool &value) {
    skipSpaces();
    value = rest.starts_with("True");
    if (!value && !rest.starts_with("False"))
      return fail("True or False as fortran_order");
    rest.remove_prefix(value ? 4 : 5);
    return true;
  }

  /// Takes a tuple: "(4, 8)", "(4,)" or "()"; "(4)" is no tuple.
  bool takeShape(std::vector<int64_t> &shape) {
    if (!take('('))
      return fail("a shape in parentheses");
    bool needsComma = false;
    while (!take(')')) {
      if (needsComma)
        return fail("',' or ')' in a shape");
      skipSpaces();
      int64_t extent = 0;
      const char *begin = rest.data();
      auto [end, error] = std::from_chars(begin, begin + rest.size(), extent);
      if (error != std::errc() || extent < 0)
        return fail("an extent from 0 to 2^63 - 1");
      rest.remove_prefix(end - begin);
      shape.push_back(extent);
      if (shape.size() > maxNpyDimensions) {
        wrong = fmt::format("expected at most {} dimensions", maxNpyDimensions);
        return false;
      }
      needsComma = !take(',');
      if (needsComma && shape.size() == 1)
        return fail("',' behind the first extent of a shape");
    }
    return true;
  }

  std::string_view rest;
};

} // namespace

Result<NpyHeader> parseNpyHeader(std::string_view text) {
  NpyHeader header;
  Parser parser(text);
  if (!parser.parse(header))
    return Error{parser.wrong};
  return header;
}

} // namespace npu
