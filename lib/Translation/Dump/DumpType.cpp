// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpType.h"
#include "../Log/FieldSpelling.h"
#include "../Log/LogAttributeParser.h"
#include "../Log/LogDistribution.h"
#include "DumpLexer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace npu {
namespace {

constexpr std::string_view kDistributedTensor = "!VPU.DistributedTensor";
constexpr std::string_view kDistributedBuffer = "!VPUIP.DistributedBuffer";
/// Sparse types inside each other, and aliases of aliases.
constexpr int kMaxDepth = 8;

bool isDistributedHead(std::string_view head) {
  return head == kDistributedTensor || head == kDistributedBuffer;
}
bool isSparseHead(std::string_view head) {
  return head == "!VPU.SparseTensor" || head == "!VPUIP.SparseBuffer" ||
         head == "!VPUIP.BoundedBuffer";
}
bool isPlainHead(std::string_view head) {
  return head == "tensor" || head == "memref";
}

/// The bits of one element: of f16, ui8, i1 and so on, and of the storage type
/// of a quantized element, which is the first word inside !quant.uniform<...>.
std::optional<int64_t> bitsOf(llvm::StringRef element) {
  if (element.consume_front("!quant.")) {
    element = element.drop_until([](char c) { return c == '<'; }).drop_front();
    element = element.take_until([](char c) { return c == ':' || c == '<'; });
    if (element.starts_with("quantile") || element.empty())
      return std::nullopt;
  }
  if (element == "bf16")
    return 16;
  if (element == "index")
    return 64;
  if (element.starts_with("f8"))
    return 8;
  if (element.starts_with("f4"))
    return 4;
  llvm::StringRef digits =
      element.drop_while([](char c) { return c < '0' || c > '9'; });
  llvm::StringRef word = element.drop_back(digits.size());
  unsigned bits = 0;
  bool known = word == "f" || word == "i" || word == "u" || word == "ui" ||
               word == "si" || word == "s";
  if (!known || digits.getAsInteger(10, bits) || bits == 0 || bits > 128)
    return std::nullopt;
  return bits;
}

/// What stands inside the bracket that a text is.
std::string_view insideOf(std::string_view text) {
  return text.size() < 2 ? std::string_view() : text.substr(1, text.size() - 2);
}

/// Takes the extents of "1x28x336xf16" from the front of a text. Returns
/// whether all of them are numbers that are not too large.
bool takeShape(std::string_view &text, Extents &shape) {
  for (;;) {
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
      ++digits;
    if (digits == 0 || digits == text.size() || text[digits] != 'x')
      return text.empty() || text[0] != '?';
    int64_t extent = 0;
    if (digits > 10 || shape.size() == kMaxRank)
      return false;
    for (char c : text.substr(0, digits))
      extent = extent * 10 + (c - '0');
    shape.push_back(extent);
    text.remove_prefix(digits + 1);
  }
}

} // namespace

void DumpTypes::define(std::string_view name, std::string_view value) {
  std::string_view &known = aliases[name];
  if (known == value)
    return;
  // Types that were read may have used the alias.
  types.clear();
  known = value;
}

std::string_view DumpTypes::resolve(std::string_view text) const {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    auto it = aliases.find(text);
    if (it == aliases.end())
      break;
    text = it->second;
  }
  return text;
}

DumpTypePtr DumpTypes::read(std::string_view text) {
  auto it = types.find(text);
  if (it != types.end())
    return it->second;
  auto type = std::make_shared<const DumpType>(parse(text, 0));
  types[text] = type;
  return type;
}

/// The text without its comments, and with the values of attributes' aliases
/// where `types` is given.
static std::string expanded(std::string_view text, const DumpTypes *types) {
  std::string result;
  DumpLexer lexer(text);
  std::size_t end = 0;
  while (lexer.peek().kind != LogToken::Kind::End) {
    LogToken token = lexer.take();
    if (token.at > end)
      result += ' ';
    result += types && token.kind == LogToken::Kind::Attribute
                  ? types->resolve(token.text)
                  : token.text;
    end = token.end();
  }
  return result;
}

DumpType DumpTypes::parse(std::string_view text, int depth) const {
  text = trimmed(resolve(trimmed(text)));
  DumpType type;
  if (text.find("//") != std::string_view::npos && depth < kMaxDepth)
    return parse(expanded(text, nullptr), depth + 1);
  if (text.starts_with('!') && text.find_first_of(".<") == text.npos) {
    type.problem = "its alias is not defined";
    return type;
  }
  std::size_t open = text.find('<');
  if (open == std::string_view::npos || text.back() != '>' ||
      depth == kMaxDepth)
    return type;
  type.head = trimmed(text.substr(0, open));
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (isSparseHead(type.head)) {
    parseSparse(inside, depth, type);
  } else if (isDistributedHead(type.head) || isPlainHead(type.head)) {
    type.written = isDistributedHead(type.head);
    parseShaped(inside, type);
    type.read = type.written && type.problem.empty();
  } else {
    countUnknown(inside, type);
  }
  return type;
}

/// Distributed types inside a type that nobody knows count as not read.
void DumpTypes::countUnknown(std::string_view inside, DumpType &type) {
  for (std::string_view head : {kDistributedTensor, kDistributedBuffer})
    for (std::size_t at = inside.find(head); at != std::string_view::npos;
         at = inside.find(head, at + 1))
      ++type.written;
  if (type.written)
    type.problem = "it is not known what it is";
}

/// A sparse type is where its data are. Its other parts are read too, so that
/// nothing of them is passed over without a word.
void DumpTypes::parseSparse(std::string_view inside, int depth,
                            DumpType &type) const {
  bool isFirst = true;
  unsigned written = 0, read = 0;
  std::string problem, elements;
  std::vector<DumpTypePtr> parts;
  DumpTypePtr map, table;
  for (std::string_view part : splitList(inside)) {
    DumpLexer lexer(part);
    std::string_view name = lexer.peek().text;
    if (lexer.take().kind == LogToken::Kind::Word && lexer.takeIf("="))
      part = part.substr(lexer.peek().at);
    else
      name = "data";
    std::string_view resolved = resolve(trimmed(part));
    if (resolved.starts_with("#VPU.SE"))
      elements = resolved;
    DumpType each = parse(part, depth + 1);
    written += each.written;
    read += each.read;
    if (problem.empty())
      problem = each.problem;
    bool isPart = each.isShaped();
    auto shared = std::make_shared<const DumpType>(each);
    if (isPart)
      parts.push_back(shared);
    if (name == "sparsity_map")
      map = shared;
    if (name == "storage_element_table")
      table = shared;
    if (isFirst && name == "data")
      type = std::move(each);
    isFirst = false;
  }
  type.parts = std::move(parts);
  type.elements = std::move(elements);
  // Without an attribute, a map alone has a place for each entry of the data.
  if (table && table->isShaped())
    type.table = std::move(table);
  else if (!type.elements.empty() && map && map->isShaped())
    type.table = std::move(map);
  type.written = written;
  type.read = read;
  type.problem = std::move(problem);
}

void DumpTypes::parseShaped(std::string_view inside, DumpType &type) const {
  std::vector<std::string_view> parts = splitList(inside);
  if (parts.empty()) {
    type.problem = "expected a shape, got nothing";
    return;
  }
  std::string_view element = parts[0];
  if (!takeShape(element, type.shape)) {
    type.problem = fmt::format("expected a static shape of rank at most {}, "
                               "got {}",
                               kMaxRank, parts[0].substr(0, 64));
    return;
  }
  type.element = resolve(element);
  type.bits = bitsOf(type.element);
  if (!checkedProduct(type.shape.span())) {
    type.problem = "expected a shape with fewer than 2^63 elements";
    return;
  }
  std::string_view fields;
  for (std::string_view part : llvm::ArrayRef(parts).drop_front()) {
    if (type.written && (part.starts_with("#VPU.Distribut") ||
                         findEntry(insideOf(part), "mode"))) {
      fields = part;
      continue;
    }
    if (!type.middle.empty())
      type.middle += ", ";
    type.middle += part;
    parseMiddle(part, type);
  }
  if (!type.problem.empty())
    return;
  type.kind = DumpType::Kind::Plain;
  if (type.written)
    place(fields, type);
}

/// The order, or the memory, or a dictionary with both.
void DumpTypes::parseMiddle(std::string_view part, DumpType &type) const {
  auto readOrder = [&](std::string_view text) {
    Result<Permutation> order = parseOrder(text, type.shape.size());
    if (order)
      type.order = *order;
    else if (type.written)
      // The second map of a plain buffer gives its strides.
      type.problem = order.error().message;
  };
  std::string_view resolved = resolve(part);
  if (resolved.starts_with('{')) {
    std::string_view list = insideOf(resolved);
    if (auto order = findEntry(list, "order"))
      readOrder(*order);
    if (auto memory = findEntry(list, "mem_space"))
      parseMiddle(*memory, type);
  } else if (resolved.starts_with('@') || resolved.starts_with('[')) {
    DumpLexer lexer(resolved);
    while (lexer.peek().kind != LogToken::Kind::End &&
           lexer.peek().kind != LogToken::Kind::Symbol)
      lexer.take();
    std::string_view name = lexer.peek().text;
    type.memory = name.substr(std::min<std::size_t>(1, name.size()));
  } else if (resolved.starts_with("affine_map") ||
             (resolved == part && part.starts_with('#') &&
              part.find_first_of(".<") == std::string_view::npos)) {
    // After the order and the memory may stand other attributes.
    readOrder(part);
  }
}

Result<Permutation> DumpTypes::parseOrder(std::string_view text,
                                          std::size_t rank) const {
  std::string_view map = resolve(text);
  std::size_t open = map.find('('), close = map.find(')');
  std::size_t second = map.find('(', std::min(close, map.size()));
  std::size_t end = map.find(')', std::min(second, map.size()));
  Permutation order;
  if (map.starts_with("affine_map") && end != std::string_view::npos) {
    auto from = splitList(map.substr(open + 1, close - open - 1));
    auto to = splitList(map.substr(second + 1, end - second - 1));
    for (std::string_view name : to)
      if (auto it = llvm::find(from, name);
          it != from.end() && order.size() < kMaxRank)
        order.push_back(it - from.begin());
    if (to.size() != from.size())
      order.clear();
  } else if (auto known =
                 parseOrderName(text.substr(text.starts_with("#") ? 1 : 0))) {
    // The alias is not defined, as in a part of a dump, but everybody knows it.
    order = *known;
  }
  if (order.size() != rank || !isPermutation(order.span()))
    return Error{fmt::format("expected an order of {} dimensions, got {}", rank,
                             text.substr(0, 64))};
  return isIdentity(order) ? Permutation() : order;
}

/// Whether `num_tiles` is a grid over two dimensions or more.
static bool splitsTwice(const LoggedAttribute &fields) {
  const LoggedField *tiles = fields.find("num_tiles");
  return tiles && llvm::count_if(tiles->rows[0].numbers,
                                 [](int64_t count) { return count > 1; }) > 1;
}

/// A grid, which the field compiler does not have, by this project's rule.
static Result<FieldPlacement> placeGrid(const LoggedAttribute &fields,
                                        const Extents &shape) {
  LogMessages messages;
  auto logged = understand(fields, messages);
  if (!logged)
    return Error{messages.back().text};
  if (logged->rank != shape.size())
    return Error{"'num_tiles' has another rank than the tensor"};
  Result<Distribution> distribution = distributionAt(*logged, shape);
  if (!distribution)
    return distribution.error();
  Result<Placement> placement = npu::place(*distribution, shape);
  if (!placement)
    return placement.error();
  return FieldPlacement{placement->tiles,
                        {"splits along one dimension only; these boxes follow "
                         "this project's rule"}};
}

/// Reads the distribution, computes its boxes, and finds a spelling for them.
void DumpTypes::place(std::string_view fields, DumpType &type) const {
  auto fail = [&](std::string why) {
    type.problem = std::move(why);
    type.kind = DumpType::Kind::Other;
  };
  if (fields.empty())
    return fail("expected a distribution {mode = ...}, got none");
  type.fields.side = "distribution";
  LogMessages messages;
  std::string plain = expanded(fields, this);
  LogLexer lexer(plain, 0);
  if (!LogAttributeParser(lexer, type.fields, messages).parse()) {
    for (const LogMessage &message : messages)
      if (message.severity == LogMessage::Severity::Error)
        return fail(message.text);
    return fail("expected a distribution {mode = ...}");
  }
  Result<FieldPlacement> boxes = placeByField(type.fields, type.shape);
  if (!boxes && splitsTwice(type.fields))
    boxes = placeGrid(type.fields, type.shape);
  if (!boxes)
    return fail(boxes.error().message);
  type.kind = DumpType::Kind::Distributed;
  type.onTiles = type.memory != "DDR";
  type.boxes = std::move(*boxes);
  type.placement = clipped(type.boxes, type.shape);
  auto isSame = [&](const Result<Distribution> &candidate) {
    if (!candidate || !checkDistribution(*candidate))
      return false;
    Result<Placement> placed = npu::place(*candidate, type.shape);
    return placed && sameMemory(*placed, type.placement) &&
           sameCompute(*placed, type.placement);
  };
  auto logged = understand(type.fields, messages);
  if (!logged) {
    type.whyNoLayout = messages.back().text;
    return;
  }
  if (Result<Distribution> shortest = shortestAt(*logged, type.shape);
      isSame(shortest)) {
    type.distribution = *shortest;
    return;
  }
  Distribution spelled;
  spelled.mode = logged->rule.mode;
  for (const TileBoxes &tile : type.placement.tiles) {
    spelled.compute.push_back(tile.compute);
    spelled.memory.push_back(tile.memory);
  }
  if (isSame(spelled))
    type.distribution = canonical(spelled, type.shape);
  else
    type.whyNoLayout = "its boxes are no placement: they do not cover the "
                       "tensor, or a tile computes what it does not hold";
}

std::string spellType(const DumpType &type, const LoggedAttribute &fields) {
  return spellType(type.head, type.shape, type.element, type.middle, fields);
}

} // namespace npu
