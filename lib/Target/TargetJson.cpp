// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/TargetJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace json = llvm::json;

namespace npu {
namespace {

constexpr llvm::StringLiteral nameKey = "name", likeKey = "like",
                              valueKey = "value", unitKey = "unit";

/// A figure of either table, of one target.
struct Figure {
  llvm::StringRef name, unit;
  int64_t *value;
  /// Whether 0 says that the figure is not known, and whether it is not
  /// written then.
  bool mayBeUnknown, mayBeLeftOut;
  const TargetField *field;
  const CostField *cost;
};

std::vector<Figure> figuresOf(Target &target) {
  std::vector<Figure> figures;
  for (const TargetField &field : targetFields())
    figures.push_back({field.name, field.unit, &(target.*field.value),
                       !field.isNeeded && field.least > 0, field.isOfMachines,
                       &field, nullptr});
  for (const CostField &field : costFields())
    figures.push_back({field.name, field.unit, &field.of(target.costs),
                       /*mayBeUnknown=*/false, /*mayBeLeftOut=*/false, nullptr,
                       &field});
  return figures;
}

std::string quoted(llvm::StringRef text) { return "\"" + text.str() + "\""; }

std::string textOf(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// A key that an object of a text has twice, at any depth: of two, a parser
/// takes one or the other. Precondition: the text is JSON.
std::optional<std::string> repeatedKey(llvm::StringRef text) {
  std::vector<llvm::StringSet<>> keys;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[')
      keys.emplace_back();
    else if (text[at] == '}' || text[at] == ']')
      keys.pop_back();
    if (text[at] != '"')
      continue;
    size_t begin = at++;
    for (; text[at] != '"'; ++at)
      at += text[at] == '\\';
    // Spelled in two ways, it is one key.
    auto key = json::parse(text.slice(begin, at + 1));
    bool isKey = text.drop_front(at + 1).ltrim().starts_with(":");
    if (key && isKey && !keys.back().insert(*key->getAsString()).second)
      return key->getAsString()->str();
    if (!key)
      llvm::consumeError(key.takeError());
  }
  return std::nullopt;
}

class Reader {
public:
  explicit Reader(const json::Object &object) : object(object) {}

  Result<TargetFile> read() {
    std::optional<llvm::StringRef> name = object.getString(nameKey);
    if (!name || name->empty())
      return Error{"expected the target's name as \"name\", got none"};
    if (Result<> begun = begin(); !begun)
      return begun.error();
    target.name = name->str();
    std::vector<Figure> figures = figuresOf(target);
    if (Result<> known = checkKeys(figures); !known)
      return known.error();
    std::vector<std::string> missing;
    for (const Figure &figure : figures) {
      const json::Value *given = object.get(figure.name);
      if (!given) {
        if (!figure.mayBeLeftOut)
          missing.push_back(figure.name.str());
        continue;
      }
      if (Result<> taken = take(figure, *given); !taken)
        return Error{quoted(figure.name) + ": " + taken.error().message};
    }
    if (!missing.empty() && !base)
      return Error{fmt::format(
          "expected every figure of a target, got none for {}; \"like\" names "
          "a target ({}) that has what is not given",
          llvm::join(missing, ", "), builtinTargetNames())};
    bool hasTiles = object.get("tiles"), hasMost = object.get("max_tiles");
    if (hasTiles && !hasMost)
      target.maxTiles = target.tiles;
    if (hasMost && !hasTiles)
      target.tiles = target.maxTiles;
    if (Result<> wrong = checkTarget(target); !wrong)
      return wrong.error();
    if (Result<> wrong = checkUnknown(); !wrong)
      return wrong.error();
    return TargetFile{target, base ? base->name : ""};
  }

private:
  /// Begins with the figures of the target that it is like.
  Result<> begin() {
    const json::Value *like = object.get(likeKey);
    if (!like)
      return Success();
    if (like->getAsString())
      base = findBuiltinTarget(like->getAsString()->str());
    if (!base)
      return Error{fmt::format("expected {} as \"like\", got {}",
                               builtinTargetNames(), textOf(*like))};
    target = *base;
    return Success();
  }

  Result<> checkKeys(const std::vector<Figure> &figures) const {
    std::vector<llvm::StringRef> known{nameKey, likeKey};
    for (const Figure &figure : figures)
      known.push_back(figure.name);
    std::vector<llvm::StringRef> keys;
    for (const auto &[key, value] : object)
      keys.push_back(key);
    // JSON has its keys in no order.
    llvm::sort(keys);
    for (llvm::StringRef key : keys)
      if (!llvm::is_contained(known, key)) {
        llvm::StringRef nearest = *llvm::min_element(
            known, [&](llvm::StringRef a, llvm::StringRef b) {
              return key.edit_distance(a) < key.edit_distance(b);
            });
        return Error{fmt::format("unknown figure {}; the nearest is {}",
                                 quoted(key), quoted(nearest))};
      }
    return Success();
  }

  static Result<> take(const Figure &figure, const json::Value &given) {
    const json::Object *parts = given.getAsObject();
    const json::Value *value = parts ? parts->get(valueKey) : nullptr;
    const json::Value *unit = parts ? parts->get(unitKey) : nullptr;
    if (!value || !unit || parts->size() != 2)
      return Error{fmt::format(
          "expected {{\"value\": NUMBER, \"unit\": \"{}\"}}, got {}",
          figure.unit.str(), textOf(given))};
    if (unit->getAsString() != figure.unit)
      return Error{fmt::format("expected the unit \"{}\", got {}",
                               figure.unit.str(), textOf(*unit))};
    if (figure.mayBeUnknown && value->getAsNull()) {
      *figure.value = 0;
      return Success();
    }
    std::optional<int64_t> number = value->getAsInteger();
    if (!number)
      return Error{fmt::format(
          "expected an integer{}, got {}",
          figure.mayBeUnknown ? ", or null where it is not known" : "",
          textOf(*value))};
    *figure.value = *number;
    return figure.field ? checkFigure(*figure.field, *number)
                        : checkCostFigure(*figure.cost, *number);
  }

  /// A built-in target that is named brings its figures wherever the target is
  /// written.
  Result<> checkUnknown() {
    const Target *named = findBuiltinTarget(target.name);
    if (!named)
      named = base;
    if (!named)
      return Success();
    Target copy = *named;
    std::vector<Figure> here = figuresOf(target), there = figuresOf(copy);
    for (auto [figure, known] : llvm::zip_equal(here, there))
      if (*figure.value == 0 && figure.mayBeUnknown && *known.value != 0)
        return Error{fmt::format(
            "{}: expected a value, got none: that of {} is known to be {}",
            quoted(figure.name), quoted(named->name), *known.value)};
    return Success();
  }

  const json::Object &object;
  Target target;
  const Target *base = nullptr;
};

} // namespace

std::string writeTargetJson(const Target &target) {
  Target copy = target;
  std::string text = fmt::format("{{\n  \"{}\": {}", nameKey.str(),
                                 textOf(json::Value(target.name)));
  for (const Figure &figure : figuresOf(copy))
    if (*figure.value != 0 || !figure.mayBeLeftOut)
      text += fmt::format(",\n  \"{}\": {{\"{}\": {}, \"{}\": \"{}\"}}",
                          figure.name.str(), valueKey.str(),
                          figure.mayBeUnknown && *figure.value == 0
                              ? "null"
                              : std::to_string(*figure.value),
                          unitKey.str(), figure.unit.str());
  return text + "\n}\n";
}

// Precondition: brackets are not so deep that llvm::json, which calls itself
// for each, would overflow the stack.
Result<TargetFile> readTargetJson(std::string_view text) {
  llvm::Expected<json::Value> parsed =
      json::parse(llvm::StringRef(text.data(), text.size()));
  if (!parsed)
    return Error{"expected JSON: " + llvm::toString(parsed.takeError())};
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return Error{"expected an object with the figures of a target, got " +
                 textOf(*parsed)};
  if (std::optional<std::string> twice =
          repeatedKey(llvm::StringRef(text.data(), text.size())))
    return Error{quoted(*twice) + ": expected it once, got it twice"};
  return Reader(*object).read();
}

} // namespace npu
