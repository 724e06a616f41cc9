// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Complete.h"

#include "npu/Placement/Distributions/Distribution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using llvm::StringRef;
using llvm::lsp::CompletionItem;
using llvm::lsp::CompletionItemKind;

namespace npu {
namespace {

/// The parts of a list that stand between commas outside of brackets.
llvm::SmallVector<StringRef> itemsOf(StringRef text) {
  llvm::SmallVector<StringRef> items;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
    if (text[at] == ',' && depth == 0) {
      items.push_back(text.slice(begin, at));
      begin = at + 1;
    }
  }
  items.push_back(text.substr(begin));
  return items;
}

std::string list(size_t count, StringRef each) {
  return "[" + llvm::join(llvm::SmallVector<StringRef>(count, each), ", ") +
         "]";
}

/// What the cursor is in the middle of.
class LayoutCompletion {
public:
  LayoutCompletion(StringRef before, StringRef inside, StringRef after)
      : inside(inside) {
    readShape(before);
    llvm::SmallVector<StringRef> items = itemsOf(inside);
    current = items.pop_back_val();
    for (StringRef item : items)
      read(item);
    // What the cursor stands in ends at the next comma.
    for (StringRef item : llvm::ArrayRef(itemsOf(after)).drop_front())
      read(item);
  }

  std::vector<CompletionItem> run() && {
    if (inside.count('[') != inside.count(']'))
      return {};
    auto [key, value] = current.split('=');
    if (current.contains('='))
      addValues(key.trim());
    else if (current.contains('|'))
      addSecondWords(current.split('|').first.trim());
    else
      addItems();
    return std::move(found);
  }

private:
  /// The extents of a tensor type whose encoding the layout is.
  void readShape(StringRef before) {
    size_t begin = before.rfind("tensor<");
    if (begin == StringRef::npos)
      return;
    StringRef type = before.substr(begin + StringRef("tensor<").size());
    if (type.contains('>') || type.count(',') != 1)
      return;
    isOfTensor = true;
    for (int64_t extent;
         !type.consumeInteger(10, extent) && type.consume_front("x");)
      shape.push_back(extent);
  }

  void read(StringRef item) {
    auto [key, value] = item.split('=');
    key = key.trim();
    if (item.contains('=')) {
      used.insert(key);
      if (key == "tiles")
        tiles = value.trim();
      return;
    }
    auto [first, second] = key.split('|');
    if (auto known = parseMode(std::string_view(first.trim()),
                               std::string_view(second.trim())))
      mode = known;
  }

  void add(const llvm::Twine &label, CompletionItemKind kind, StringRef detail,
           StringRef insert = "") {
    CompletionItem item(label, kind, std::to_string(1000 + found.size()));
    item.detail = detail.str();
    item.insertText = insert.str();
    found.push_back(std::move(item));
  }

  void addValues(StringRef key) {
    auto words = [&](std::initializer_list<const char *> all) {
      for (const char *word : all)
        add(word, CompletionItemKind::Value, key);
    };
    if (key == "split")
      words({"balanced", "ceil"});
    else if (key == "storage" && mode && (!isOfTensor || shape.size() == 4) &&
             !used.contains("order"))
      words({"tiled2d", "linear"});
    else if (key == "storage")
      words({"linear"});
    else if (key == "order")
      addOrders();
    else
      for (const CompletionItem &item : itemsOfMode())
        if (StringRef(item.label) == key && !item.insertText.empty())
          add(StringRef(item.insertText).split("= ").second,
              CompletionItemKind::Value, item.detail);
  }

  void addOrders() {
    if (!isOfTensor || shape.size() == 4 || shape.size() == 5) {
      StringRef leading = shape.size() == 5 ? "G" : "";
      for (StringRef common : {"NHWC", "NCHW"})
        add(leading + common, CompletionItemKind::Value, "a memory order");
      std::string name = "CHNW";
      std::sort(name.begin(), name.end());
      do {
        if (name != "NHWC" && name != "NCHW")
          add(leading + name, CompletionItemKind::Value, "a memory order");
      } while (std::next_permutation(name.begin(), name.end()));
      return;
    }
    add(toString(Extents(identityPermutation(shape.size()).span())),
        CompletionItemKind::Value, "dimensions, slowest in memory first");
  }

  void addSecondWords(StringRef first) {
    for (const ModeTraits &row : allModes()) {
      auto [one, other] = StringRef(row.words).split('|');
      if (other.empty())
        continue;
      if (one == first)
        add(other, CompletionItemKind::Keyword, describe(row));
      else if (other == first)
        add(one, CompletionItemKind::Keyword, describe(row));
    }
  }

  static StringRef describe(const ModeTraits &row) {
    if (!row.splits)
      return "every tile computes and holds all of it";
    if (row.holdsWhole)
      return "tiles compute parts, and every tile holds all of it";
    return row.hasHalo ? "tiles compute parts, and hold halos of them as well"
                       : "every tile computes and holds its part";
  }

  void addItems() {
    if (!mode)
      for (const ModeTraits &row : allModes())
        add(StringRef(row.words), CompletionItemKind::Keyword, describe(row));
    // Items of a distribution stand beside a mode, which may come later.
    for (CompletionItem &item : itemsOfMode()) {
      if (used.contains(item.label))
        continue;
      item.sortText = std::to_string(1000 + found.size());
      found.push_back(std::move(item));
    }
  }

  /// The items that the mode takes beside those that are used, with a value
  /// that fits the tensor.
  std::vector<CompletionItem> itemsOfMode() const {
    std::vector<CompletionItem> items;
    auto item = [&](StringRef name, StringRef detail,
                    const llvm::Twine &value) {
      CompletionItem each(name, CompletionItemKind::Property);
      each.detail = detail.str();
      std::string text = value.str();
      each.insertText = (name + " = " + text).str();
      items.push_back(std::move(each));
    };
    size_t rank = shape.size();
    bool hasShape = isOfTensor && rank > 0;
    std::string ones = hasShape ? list(rank, "1") : "";
    if (mode) {
      const ModeTraits &traits = traitsOf(*mode);
      bool hasTiles = used.contains("tiles");
      bool hasBoxes = used.contains("compute") || used.contains("memory");
      if (!used.contains("compute"))
        item("tiles",
             traits.splits ? "tile counts per dimension" : "a tile count",
             traits.splits ? ones : std::string("1"));
      if (hasTiles && traits.splits) {
        item("copies", "consecutive tiles that hold the same part", "2");
        item("split", "balanced, or ceil: all but the last are equal", "ceil");
        item("align", "multiples at which dimensions are cut", ones);
        std::string major = splitDimensions();
        if (!major.empty())
          item("major", "split dimensions, slowest-varying tile first", major);
      }
      if (!hasTiles)
        item("compute", "a box for each tile", wholeBox());
      // Everything else says more of tiles that are known.
      if (!hasTiles && !hasBoxes)
        return items;
      if (traits.hasHalo && !used.contains("memory"))
        item("window", "[dim, kernel, stride, pad_lo, pad_hi] of each reader",
             hasShape ? "[[" + std::to_string(rank - 1) + ", 3, 1, 1, 1]]"
                      : "");
      if (traits.hasHalo && !used.contains("window"))
        item("memory", "the box that each tile holds", "");
    }
    if (!used.contains("storage"))
      item("order", "dimensions, slowest in memory first",
           !isOfTensor || rank == 4 ? "NHWC" : "");
    if (mode && !used.contains("order") && (!isOfTensor || rank == 4))
      item("storage", "linear, or tiled2d for images", "tiled2d");
    return items;
  }

  /// "[1, 2]" of tiles = [1, 2, 2, 1]; nothing where fewer than two are split.
  std::string splitDimensions() const {
    StringRef numbers = tiles;
    if (!numbers.consume_front("[") || !numbers.consume_back("]"))
      return "";
    llvm::SmallVector<std::string> split;
    size_t dim = 0;
    for (StringRef count : llvm::split(numbers, ',')) {
      if (count.trim() != "1")
        split.push_back(std::to_string(dim));
      ++dim;
    }
    return split.size() < 2 ? "" : "[" + llvm::join(split, ", ") + "]";
  }

  std::string wholeBox() const {
    if (!isOfTensor || shape.empty())
      return "";
    llvm::SmallVector<std::string> ranges;
    for (int64_t extent : shape)
      ranges.push_back("0:" + std::to_string(extent));
    return "[[" + llvm::join(ranges, ", ") + "]]";
  }

  StringRef inside, current, tiles;
  bool isOfTensor = false;
  llvm::SmallVector<int64_t> shape;
  llvm::StringSet<> used;
  std::optional<Mode> mode;
  std::vector<CompletionItem> found;
};

} // namespace

std::optional<std::vector<CompletionItem>> completeLayout(StringRef text,
                                                          size_t offset) {
  constexpr StringRef word = "#npu.layout<";
  size_t begin = text.take_front(offset).rfind(word);
  if (begin == StringRef::npos)
    return std::nullopt;
  StringRef inside = text.slice(begin + word.size(), offset);
  if (inside.contains('>'))
    return std::nullopt;
  StringRef after = text.substr(offset);
  after =
      after.take_until([](char each) { return each == '>' || each == '\n'; });
  return LayoutCompletion(text.take_front(begin), inside, after).run();
}

} // namespace npu
