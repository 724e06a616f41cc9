// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser and the printer of the layout attribute: items are parsed in any
// order, printed in one order, and left out where they are the default.

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace npu {
namespace {

constexpr llvm::StringLiteral itemNames =
    "tiles, major, copies, split, align, window, compute, memory, order or "
    "storage";

constexpr llvm::StringLiteral windowForm =
    "expected [dim, kernel, stride, pad_lo, pad_hi] or a sixth number for the "
    "dilation";

class LayoutParser {
public:
  explicit LayoutParser(AsmParser &parser) : parser(parser) {}

  /// Parses `< item (, item)* >`; the mode is an item without a name.
  FailureOr<Layout> parse() {
    SMLoc start = parser.getCurrentLocation();
    if (parser.parseLess())
      return failure();
    if (failed(parser.parseOptionalGreater())) {
      if (parser.parseCommaSeparatedList([&] { return parseItem(); }) ||
          parser.parseGreater())
        return failure();
    }
    if (!sawMode && sawDistributionItem)
      return parser.emitError(distributionItem)
             << "expected a mode (" << listModes() << ") beside it";
    Layout layout;
    if (sawMode) {
      // Check the distribution as it is written, before it is normalized.
      if (Result<> problem = checkDistribution(distribution); !problem)
        return parser.emitError(start, problem.error().message);
      normalize(distribution);
      layout.distribution = std::move(distribution);
    }
    layout.order = order;
    layout.storage = storage;
    if (sawMode && isIdentity(order))
      layout.order.clear();
    return layout;
  }

private:
  ParseResult parseItem() {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(loc) << "expected a mode or " << itemNames;
    std::vector<std::string_view> words = modeWords();
    if (llvm::is_contained(words, std::string_view(name)))
      return parseModeAfter(name, loc);
    // Report an unknown item at its name, before expecting a '='.
    using Item = ParseResult (LayoutParser::*)(SMLoc);
    Item item = llvm::StringSwitch<Item>(name)
                    .Case("tiles", &LayoutParser::parseTiles)
                    .Case("major", &LayoutParser::parseMajor)
                    .Case("copies", &LayoutParser::parseCopies)
                    .Case("split", &LayoutParser::parseSplit)
                    .Case("align", &LayoutParser::parseAlign)
                    .Case("window", &LayoutParser::parseWindows)
                    .Case("compute", &LayoutParser::parseCompute)
                    .Case("memory", &LayoutParser::parseMemory)
                    .Case("order", &LayoutParser::parseOrder)
                    .Case("storage", &LayoutParser::parseKind)
                    .Default(nullptr);
    if (!item)
      return parser.emitError(loc)
             << "unknown mode or item '" << name << "', expected "
             << llvm::join(words, ", ") << ", " << itemNames;
    if (!seen.insert(name).second)
      return parser.emitError(loc) << "'" << name << "' is given twice";
    if (parser.parseEqual())
      return failure();
    bool ofDistribution = name != "order" && name != "storage";
    if (ofDistribution && !sawDistributionItem) {
      sawDistributionItem = true;
      distributionItem = loc;
    }
    return (this->*item)(parser.getCurrentLocation());
  }

  ParseResult parseModeAfter(StringRef first, SMLoc loc) {
    if (sawMode)
      return parser.emitError(loc, "a second mode; two words of one mode are "
                                   "joined by '|'");
    sawMode = true;
    StringRef second;
    if (succeeded(parser.parseOptionalVerticalBar()) &&
        parser.parseKeyword(&second))
      return failure();
    std::optional<Mode> mode = parseMode(first, second);
    if (!mode)
      return parser.emitError(loc)
             << "unknown mode '" << first << (second.empty() ? "" : "|")
             << second << "', expected " << listModes(" or ");
    distribution.mode = *mode;
    return success();
  }

  /// Parses `[1, 4, 1, 1]`, at most kMaxRank numbers.
  ParseResult parseNumbers(SMLoc loc, Extents &numbers) {
    SmallVector<int64_t> values;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(values.emplace_back());
        }))
      return failure();
    if (values.empty())
      return parser.emitError(loc, "expected at least one number");
    if (values.size() > kMaxRank)
      return parser.emitError(loc) << "expected at most " << kMaxRank
                                   << " numbers, got " << values.size();
    numbers = Extents(std::span<const int64_t>(values.begin(), values.size()));
    return success();
  }

  ParseResult parseTiles(SMLoc loc) {
    OptionalParseResult count =
        parser.parseOptionalInteger(distribution.tileCount);
    if (!count.has_value())
      return parseNumbers(loc, distribution.tiles);
    if (failed(*count))
      return failure();
    if (distribution.tileCount < 1 || distribution.tileCount > kMaxTiles)
      return parser.emitError(loc) << "expected 1 to " << kMaxTiles
                                   << " tiles, got " << distribution.tileCount;
    return success();
  }
  ParseResult parseMajor(SMLoc loc) {
    return parseNumbers(loc, distribution.major);
  }
  ParseResult parseCopies(SMLoc loc) {
    return parser.parseInteger(distribution.copies);
  }
  ParseResult parseAlign(SMLoc loc) {
    return parseNumbers(loc, distribution.align);
  }
  ParseResult parseSplit(SMLoc loc) {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (word != "balanced" && word != "ceil")
      return parser.emitError(loc)
             << "unknown split '" << word << "', expected balanced or ceil";
    distribution.split = word == "ceil" ? Split::Ceil : Split::Balanced;
    return success();
  }

  /// Parses `[[2, 3, 1, 1, 1], [3, 3, 1, 1, 1]]`.
  ParseResult parseWindows(SMLoc loc) {
    if (parser.parseOptionalLSquare())
      return explainWindow(loc);
    if (succeeded(parser.parseOptionalRSquare()))
      return success();
    if (parser.parseCommaSeparatedList([&] { return parseWindow(); }))
      return failure();
    return parser.parseRSquare();
  }

  ParseResult parseWindow() {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseOptionalLSquare())
      return explainWindow(loc);
    SmallVector<int64_t, 6> numbers;
    if (succeeded(parser.parseOptionalRSquare()))
      return parser.emitError(loc) << windowForm << ", got no numbers";
    if (parser.parseCommaSeparatedList(
            [&] { return parser.parseInteger(numbers.emplace_back()); }) ||
        parser.parseRSquare())
      return failure();
    if (numbers.size() != 5 && numbers.size() != 6)
      return parser.emitError(loc)
             << windowForm << ", got " << numbers.size() << " numbers";
    distribution.windows.push_back({numbers[0], numbers[1], numbers[2],
                                    numbers[3], numbers[4],
                                    numbers.size() == 6 ? numbers[5] : 1});
    return success();
  }

  ParseResult explainWindow(SMLoc loc) {
    return parser.emitError(loc)
           << "expected windows as [[dim, kernel, stride, pad_lo, pad_hi], "
              "...]: which entries of a dimension the operation with that "
              "kernel reads for each tile, for example window = [[2, 3, 1, 1, "
              "1]] for a kernel of 3 along dimension 2 in steps of 1, padded "
              "by "
              "1 on both sides";
  }

  ParseResult parseCompute(SMLoc loc) {
    return parseBoxes(loc, distribution.compute);
  }
  ParseResult parseMemory(SMLoc loc) {
    return parseBoxes(loc, distribution.memory);
  }
  /// Parses `[[0:4, 0:4], [4:8, 0:4]]`.
  ParseResult parseBoxes(SMLoc start, std::vector<Box> &boxes) {
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          SMLoc loc = parser.getCurrentLocation();
          Box box;
          if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
                Range range;
                if (parser.parseInteger(range.begin) || parser.parseColon() ||
                    parser.parseInteger(range.end))
                  return failure();
                if (box.rank() == kMaxRank)
                  return LogicalResult(parser.emitError(loc)
                                       << "expected a box of at most "
                                       << kMaxRank << " dimensions");
                box.push_back(range);
                return success();
              }))
            return failure();
          if (boxes.size() == kMaxTiles)
            return LogicalResult(parser.emitError(loc)
                                 << "expected at most " << kMaxTiles
                                 << " boxes");
          boxes.push_back(box);
          return success();
        }))
      return failure();
    if (boxes.empty())
      return parser.emitError(start, "expected at least one box");
    return success();
  }

  ParseResult parseOrder(SMLoc loc) {
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parseNumbers(loc, order);
    std::optional<Permutation> named = parseOrderName(std::string_view(name));
    if (!named)
      return parser.emitError(loc)
             << "unknown order '" << name
             << "', expected a permutation of NCHW, one that begins with G of "
                "GNCHW, or a list of dimensions";
    order = *named;
    return success();
  }

  ParseResult parseKind(SMLoc loc) {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<Storage> kind = parseStorage(std::string_view(word));
    if (!kind)
      return parser.emitError(loc)
             << "unknown storage '" << word << "', expected linear or tiled2d";
    storage = *kind;
    return success();
  }

  AsmParser &parser;
  Distribution distribution;
  Permutation order;
  Storage storage = Storage::Linear;
  llvm::StringSet<> seen;
  bool sawMode = false;
  bool sawDistributionItem = false;
  SMLoc distributionItem;
};

void printNumbers(AsmPrinter &printer, StringRef name, const Extents &numbers) {
  if (!numbers.empty())
    printer << ", " << name << " = " << toString(numbers);
}

void printBoxes(AsmPrinter &printer, StringRef name,
                const std::vector<Box> &boxes) {
  if (boxes.empty())
    return;
  printer << ", " << name << " = [";
  llvm::interleaveComma(boxes, printer,
                        [&](const Box &box) { printer << toString(box); });
  printer << "]";
}

void printWindows(AsmPrinter &printer, const std::vector<Window> &windows) {
  if (windows.empty())
    return;
  printer << ", window = [";
  llvm::interleaveComma(windows, printer, [&](const Window &w) {
    printer << "[" << w.dim << ", " << w.kernel << ", " << w.stride << ", "
            << w.padLo << ", " << w.padHi;
    if (w.dilation != 1)
      printer << ", " << w.dilation;
    printer << "]";
  });
  printer << "]";
}

void printDistribution(AsmPrinter &printer, const Distribution &distribution) {
  printer << StringRef(toString(distribution.mode));
  if (distribution.tileCount)
    printer << ", tiles = " << distribution.tileCount;
  printNumbers(printer, "tiles", distribution.tiles);
  printNumbers(printer, "major", distribution.major);
  if (distribution.copies != 1)
    printer << ", copies = " << distribution.copies;
  if (distribution.split == Split::Ceil)
    printer << ", split = ceil";
  printNumbers(printer, "align", distribution.align);
  printWindows(printer, distribution.windows);
  printBoxes(printer, "compute", distribution.compute);
  printBoxes(printer, "memory", distribution.memory);
}

} // namespace

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<Layout> layout = LayoutParser(parser).parse();
  if (failed(layout))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (isDistributed())
    printDistribution(printer, getDistribution());
  if (!getOrder().empty()) {
    printer << (isDistributed() ? ", order = " : "order = ");
    if (auto name = orderName(getOrder()))
      printer << *name;
    else
      printer << toString(getOrder());
  }
  if (getStorage() != Storage::Linear)
    printer << ", storage = " << StringRef(toString(getStorage()));
  printer << ">";
}

} // namespace npu
