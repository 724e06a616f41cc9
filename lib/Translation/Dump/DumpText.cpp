// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpText.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Placement/Pictures/Lines.h"
#include "npu/Placement/Plans/RedistributionPlan.h"
#include "npu/Support/Naming.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

using namespace mlir;

namespace npu {
namespace {

/// The most of each kind that is listed without --all.
constexpr std::size_t kBadListed = 100;
constexpr std::size_t kLinesListed = 8;
constexpr std::size_t kTilesListed = 16;
constexpr std::size_t kSkippedListed = 20;
constexpr std::size_t kUnknownListed = 20;
constexpr std::size_t kTransfersListed = 8;

std::string_view inWords(EdgeVerdict verdict) {
  static constexpr std::string_view words[] = {
      "the same", "label only", "a narrowing", "data moves", "cannot tell"};
  return words[static_cast<std::size_t>(verdict)];
}

/// A text of the dump without what a terminal would take for a command.
std::string printable(std::string_view text) {
  std::string result(text);
  llvm::erase_if(result, [](char c) { return !llvm::isPrint(c); });
  return result;
}

/// Elements as long as those with a scale for each channel have a name in a
/// repair, which is said once and can be pasted with it.
std::vector<std::string> nameElements(std::vector<std::string> lines,
                                      std::array<std::string, 2> elements) {
  constexpr std::size_t longest = 40;
  std::vector<std::string> named;
  for (const std::string &element : elements) {
    if (element.size() <= longest)
      continue;
    std::string name = fmt::format("!element{}", named.size());
    bool isUsed = false;
    for (std::string &line : lines)
      for (std::size_t at = line.find(element); at != std::string::npos;
           at = line.find(element, at + name.size())) {
        line.replace(at, element.size(), name);
        isUsed = true;
      }
    if (isUsed)
      named.push_back(fmt::format("with {} = {}", name, element));
  }
  lines.insert(lines.begin(), named.begin(), named.end());
  return lines;
}

/// The first entries of a long list in braces, and how many there are.
std::string folded(std::string element) {
  constexpr std::size_t shown = 2;
  std::size_t open = element.find('{'), close = element.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open)
    return element;
  llvm::StringRef list(element);
  llvm::SmallVector<llvm::StringRef> entries;
  list.slice(open + 1, close).split(entries, ',');
  if (entries.size() <= shown + 1)
    return element;
  return fmt::format("{}{}, ... {} more{}", element.substr(0, open + 1),
                     llvm::join(llvm::ArrayRef(entries).take_front(shown), ","),
                     entries.size() - shown, element.substr(close));
}

std::string counted(int64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// Bad edges that are the same operation between the same types.
struct BadEdges {
  std::string text;
  int64_t bytes = 0;
  EdgeVerdict verdict;
  std::vector<std::size_t> lines;
  int64_t count = 0;
};

class TextWriter {
public:
  TextWriter(std::string_view text, std::string_view fileName,
             const std::optional<DumpDevice> &device, llvm::raw_ostream &output,
             MLIRContext *context)
      : text(text), fileName(fileName), device(device), output(output),
        context(context), lines(text) {}

  int64_t write(bool all) {
    auto received = [&](DumpFunction &function) { count(function); };
    DumpAnalysis analysis(received, device);
    analysis.run(text);
    writeSummary(analysis);
    writeBad();
    writeUnknown(all);
    writeSkipped(analysis, all);
    if (!all)
      return numBad;
    // A second look costs the time of the first, and no memory.
    auto listed = [&](DumpFunction &function) { list(function); };
    DumpAnalysis(listed, device).run(text);
    return numBad;
  }

private:
  /// A line, and as many more as it takes.
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    std::string all = fmt::format(format, std::forward<Args>(args)...);
    llvm::StringRef text = all;
    while (text.consume_front("\n"))
      output << '\n';
    output << wrapped(text, text.find_first_not_of(' ') + 4);
  }

  std::size_t lineOf(std::size_t at) const { return lines.position(at).line; }

  void count(const DumpFunction &function) {
    ++functions;
    trips.tensors += function.roundTrips.tensors;
    trips.bytes += function.roundTrips.bytes;
    trips.direct += function.roundTrips.direct;
    for (const DumpValue &value : function.values)
      if (isListed(value)) {
        ++numValues;
        distributed += value.type->onTiles;
      }
    for (const DumpEdge &edge : function.edges) {
      ++verdicts[static_cast<std::size_t>(edge.finding->verdict)];
      spelledTwice += edge.finding->spelledTwice;
      unknown.count(edge);
      if (edge.finding->bad)
        addBad(function, edge);
    }
  }

  void addBad(const DumpFunction &function, const DumpEdge &edge) {
    ++numBad;
    withoutNeighbours += edge.finding->badWithoutNeighbours;
    BadEdges &group = bad[edge.finding.get()];
    if (group.count++ == 0) {
      kept.push_back(edge.finding);
      group.bytes = edge.finding->bytes;
      group.verdict = edge.finding->verdict;
      group.text = describe(function, edge);
    } else if (group.lines.size() < kLinesListed) {
      group.lines.push_back(lineOf(edge.at));
    }
  }

  void writeSummary(const DumpAnalysis &analysis) {
    int64_t edges = 0;
    for (int64_t each : verdicts)
      edges += each;
    line("{}: {}, {} of which {} on tiles, {}", fileName,
         counted(functions, "function"), counted(numValues, "value"),
         distributed, counted(edges, "edge"));
    line("  bad edges: {}", numBad);
    line("  edges: {} the same, {} label only, {} a narrowing, {} move data, "
         "{} cannot be told",
         verdicts[0], verdicts[1], verdicts[2], verdicts[3], verdicts[4]);
    if (spelledTwice)
      line("  {} that {} the same are spelled in two ways, which a compiler "
           "that compares fields refuses",
           counted(spelledTwice, "edge"), spelledTwice == 1 ? "is" : "are");
    if (trips.tensors)
      line("  through DDR and back: {}, {}, which direct transfers would "
           "save; {} would move between tiles instead",
           counted(trips.tensors, "tensor"), nameOfBytes(trips.bytes),
           nameOfBytes(trips.direct));
    else
      line("  through DDR and back: nothing that direct transfers would save");
    line("  distributed types: {} of {} read; skipped: {}", analysis.typesRead,
         analysis.types, analysis.numSkipped);
    // Where nothing is distributed, it does not matter.
    if (analysis.types)
      for (const DumpDevice &each : analysis.devices)
        line("  device: {}, {}", each.name, each.sourceInWords());
    if (withoutNeighbours)
      line("  {} of the bad edges {} none on a device whose engines read the "
           "scratchpads of other tiles, as those of NPU30XX and NPU37XX do",
           withoutNeighbours, withoutNeighbours == 1 ? "is" : "are");
  }

  void writeBad() {
    std::vector<const BadEdges *> worst;
    for (const auto &[finding, group] : bad)
      worst.push_back(&group);
    // Data before labels, and many bytes before few.
    llvm::stable_sort(worst, [](const BadEdges *a, const BadEdges *b) {
      return std::pair(a->verdict == EdgeVerdict::Moves, a->bytes * a->count) >
             std::pair(b->verdict == EdgeVerdict::Moves, b->bytes * b->count);
    });
    for (auto [i, group] : llvm::enumerate(worst)) {
      if (i == kBadListed) {
        line("\nand {} more kinds of bad edges", worst.size() - kBadListed);
        break;
      }
      output << '\n' << i + 1 << ". " << group->text;
      if (group->count == 1)
        continue;
      output << "   the same in " << group->count - 1 << " more: lines";
      for (std::size_t each : group->lines)
        output << ' ' << each;
      if (group->count - 1 > static_cast<int64_t>(group->lines.size()))
        output << " ...";
      output << '\n';
    }
  }

  /// Writes which operations have edges that cannot be told, and what it takes
  /// to know them.
  void writeUnknown(bool all) {
    std::vector<UnknownEdges::Kind> kinds = unknown.kinds();
    if (kinds.empty())
      return;
    line("\ncannot be told:");
    std::size_t shown =
        all ? kinds.size() : std::min(kUnknownListed, kinds.size());
    std::size_t width = 9;
    for (const UnknownEdges::Kind &kind :
         llvm::ArrayRef(kinds).take_front(shown))
      width = std::max(width, kind.op.size());
    line("  edges  {:{}}  it takes", "operation", width);
    for (const UnknownEdges::Kind &kind :
         llvm::ArrayRef(kinds).take_front(shown))
      output << wrapped(fmt::format("  {:5}  {:{}}  {}", kind.edges,
                                    printable(kind.op), width,
                                    toKnow(kind.missing)),
                        std::min<std::size_t>(width + 11, 44));
    if (kinds.size() > shown)
      line("  and {} more kinds, which --all lists", kinds.size() - shown);
  }

  void writeSkipped(const DumpAnalysis &analysis, bool all) {
    if (analysis.skipped.empty())
      return;
    line("\nskipped:");
    std::size_t shown = all ? analysis.skipped.size()
                            : std::min(kSkippedListed, analysis.skipped.size());
    for (const DumpSkip &skip :
         llvm::ArrayRef(analysis.skipped).take_front(shown))
      line("  line {}: {}: {}", lineOf(skip.at), printable(skip.what),
           printable(skip.why));
    if (analysis.numSkipped > static_cast<int64_t>(shown))
      line("  and {} more", analysis.numSkipped - shown);
  }

  /// The text of a bad edge: where, why, which boxes, and the repair.
  std::string describe(const DumpFunction &function, const DumpEdge &edge) {
    const EdgeFinding &finding = *edge.finding;
    LogLines::Position place = lines.position(edge.at);
    std::string made;
    auto add = [&]<typename... Args>(fmt::format_string<Args...> format,
                                     Args &&...args) {
      std::string each = fmt::format(format, std::forward<Args>(args)...);
      made += wrapped(each, each.find_first_not_of(' ') + 4);
    };
    add("{}:{}:{}: {}", fileName, place.line, place.column, printable(edge.op));
    add("   from {} to {} in @{}: {}, {}",
        printable(function.values[edge.from].name),
        printable(function.values[edge.to].name), printable(function.name),
        inWords(finding.verdict), nameOfBytes(finding.bytes));
    add("   {}", printable(finding.reason));
    for (auto [name, type] : {std::pair("from", finding.from.get()),
                              std::pair("to", finding.to.get())})
      add("   {:4} {}", name, spellShort(*type));
    addTransfers(finding, made);
    std::vector<std::string> repair =
        nameElements(spellRepair(edge, function.values),
                     {finding.from->element, finding.to->element});
    if (!repair.empty())
      add("   repair:");
    for (const std::string &each : repair)
      add("     {}", printable(each));
    return made;
  }

  void addTransfers(const EdgeFinding &finding, std::string &made) {
    if (!finding.held || !finding.wanted)
      return;
    std::array<const Placement *, 2> sides = {&*finding.held, &*finding.wanted};
    if (!isSurelyPlannable(sides))
      return;
    auto plan = planRedistribution(*finding.held, *finding.wanted);
    if (!plan)
      return;
    int64_t bits = finding.to->bits.value_or(8);
    for (auto [i, transfer] : llvm::enumerate(plan->transfers)) {
      if (i == kTransfersListed) {
        made += fmt::format("   and {} more transfers\n",
                            plan->transfers.size() - i);
        return;
      }
      std::string to;
      for (int tile : transfer.to)
        to += fmt::format("{}{}", to.empty() ? "" : ", ", tile);
      made += fmt::format("   tile {} has {}, which tile {} wants: {}\n",
                          transfer.from, toString(transfer.box), to,
                          nameOfBytes((transfer.box.volume() * bits + 7) / 8));
    }
  }

  std::string spellShort(const DumpType &type) {
    std::string shape;
    for (int64_t extent : type.shape)
      shape += fmt::format("{}x", extent);
    std::string layout = spellLayout(type, context);
    return fmt::format("{}{}{}{}", shape, folded(printable(type.element)),
                       layout.empty() ? "" : ", ", layout);
  }

  void list(const DumpFunction &function) {
    line("\n@{} at line {}", printable(function.name), lineOf(function.at));
    for (const DumpValue &value : function.values)
      if (isListed(value))
        list(value);
    for (const DumpEdge &edge : function.edges) {
      const EdgeFinding &finding = *edge.finding;
      line(
          "  line {}: {} from {} to {}: {}, {} (bound {}): {}", lineOf(edge.at),
          printable(edge.op), printable(function.values[edge.from].name),
          printable(function.values[edge.to].name), inWords(finding.verdict),
          nameOfBytes(finding.bytes), finding.bound, printable(finding.reason));
    }
  }

  void list(const DumpValue &value) {
    const DumpType &type = *value.type;
    line("  line {}: {} = {}: {}", lineOf(value.at), printable(value.name),
         printable(value.op), spellShort(type));
    if (!type.isDistributed())
      return;
    for (const std::string &note : type.boxes.notes)
      line("    the field compiler {}", note);
    if (!type.whyNoLayout.empty())
      line("    no layout: {}", type.whyNoLayout);
    for (auto [number, tile] : llvm::enumerate(type.boxes.tiles)) {
      if (number == kTilesListed) {
        line("    and {} more tiles", type.boxes.tiles.size() - number);
        break;
      }
      std::string computes =
          tile.compute == tile.memory
              ? ""
              : fmt::format(", computes {}", nameOfHeld(tile.compute));
      std::string bytes =
          type.bits ? nameOfBytes((tile.memory.volume() * *type.bits + 7) / 8)
                    : "bytes unknown";
      line("    {} holds {} ({}){}", nameOfTile(number),
           nameOfHeld(tile.memory), bytes, computes);
    }
  }

  std::string_view text, fileName;
  std::optional<DumpDevice> device;
  llvm::raw_ostream &output;
  MLIRContext *context;
  LogLines lines;
  int64_t functions = 0, numValues = 0, distributed = 0, numBad = 0,
          withoutNeighbours = 0, spelledTwice = 0;
  std::array<int64_t, 5> verdicts{};
  RoundTrips trips;
  UnknownEdges unknown;
  llvm::MapVector<const EdgeFinding *, BadEdges> bad;
  /// Findings of bad edges, which are the keys of the groups.
  std::vector<std::shared_ptr<const EdgeFinding>> kept;
};

} // namespace

int64_t writeDumpText(std::string_view text, std::string_view fileName,
                      bool all, const std::optional<DumpDevice> &device,
                      llvm::raw_ostream &output, MLIRContext *context) {
  return TextWriter(text, fileName, device, output, context).write(all);
}

bool isDumpDevice(StringRef text) {
  return deviceIn(text, DumpDevice::Source::Option).has_value();
}

int64_t explainNpuDump(StringRef text, StringRef fileName,
                       const DumpOptions &options, llvm::raw_ostream &output,
                       MLIRContext *context) {
  context->loadDialect<NPUDialect>();
  std::optional<DumpDevice> device = askedDevice(options.device);
  if (options.format == OutputFormat::Json)
    return writeDumpJson(text, device, output, context);
  return writeDumpText(text, fileName, options.all, device, output, context);
}

} // namespace npu
