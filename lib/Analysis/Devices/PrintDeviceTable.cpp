// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement report as text and as JSON.

#include "npu/Analysis/Devices/DeviceTable.h"

#include "npu/Target/DeviceString.h"

#include "npu/Placement/Pictures/Lines.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// Rows that differ in their tile alone, and where there are many, rows of
/// several operations with equal kernels.
struct Line {
  const DeviceRow *row;
  int64_t operations = 1;
  std::vector<int64_t> tiles;
  int64_t fromTiles = 0, toTiles = 0;
  std::string executed;
};

/// "1", or "0 to 3", or "at least 0": how often a row runs.
std::string textOf(const Executions &executions) {
  if (!executions.most)
    return fmt::format("at least {}", executions.least);
  if (executions.least == *executions.most)
    return std::to_string(executions.least);
  return fmt::format("{} to {}", executions.least, *executions.most);
}

/// "0-3" or "0,2".
std::string textOf(const std::vector<int64_t> &tiles) {
  std::string text;
  for (size_t begin = 0; begin < tiles.size();) {
    size_t end = begin + 1;
    while (end < tiles.size() && tiles[end] == tiles[end - 1] + 1)
      ++end;
    text += text.empty() ? "" : ",";
    text += std::to_string(tiles[begin]);
    if (end - begin > 1)
      text += "-" + std::to_string(tiles[end - 1]);
    begin = end;
  }
  return text;
}

/// What the rows of a line have in common.
using Key = std::tuple<std::string, std::string, std::string, std::string, bool,
                       int64_t, std::string>;

Key keyOf(const DeviceRow &row, int64_t occurrence) {
  return {row.name,
          row.location,
          row.kernel,
          row.reason,
          row.tile.has_value(),
          occurrence,
          row.executed ? std::to_string(*row.executed)
                       : textOf(row.executions)};
}

/// The lines of one function, in the order of their first rows. A tile's second
/// row of the same kind is on a line of its own.
std::vector<Line> linesOf(const DeviceTable &table, StringRef function) {
  llvm::MapVector<Key, Line, std::map<Key, unsigned>> lines;
  std::map<std::pair<Key, std::optional<int64_t>>, int64_t> seen;
  for (const DeviceRow &row : table.rows) {
    if (row.function != function)
      continue;
    int64_t occurrence = seen[{keyOf(row, 0), row.tile}]++;
    Line &line = lines[keyOf(row, occurrence)];
    line.row = &row;
    line.executed = std::get<6>(keyOf(row, 0));
    if (row.tile)
      line.tiles.push_back(*row.tile);
    line.fromTiles += row.bytesFromTiles.value_or(0);
    line.toTiles += row.bytesToTiles.value_or(0);
  }
  std::vector<Line> all;
  for (auto &[key, line] : lines) {
    llvm::sort(line.tiles);
    all.push_back(std::move(line));
  }
  return all;
}

/// A report has about as many lines for a function, so that it fits on a
/// screen.
constexpr size_t kManyLines = 40;

/// The lines of operations with equal kernels and reasons in one.
std::vector<Line> withEqualKernelsOnce(const std::vector<Line> &lines) {
  using Kind = std::tuple<std::string, std::string, bool, std::string>;
  llvm::MapVector<Kind, Line, std::map<Kind, unsigned>> kinds;
  for (const Line &line : lines) {
    auto [it, isNew] =
        kinds.insert({Kind{line.row->kernel, line.row->reason,
                           line.row->tile.has_value(), line.executed},
                      line});
    if (isNew)
      continue;
    Line &all = it->second;
    ++all.operations;
    all.fromTiles += line.fromTiles;
    all.toTiles += line.toTiles;
    all.tiles.insert(all.tiles.end(), line.tiles.begin(), line.tiles.end());
  }
  std::vector<Line> shorter;
  for (auto &[kind, line] : kinds) {
    llvm::sort(line.tiles);
    line.tiles.erase(llvm::unique(line.tiles), line.tiles.end());
    shorter.push_back(std::move(line));
  }
  return shorter;
}

std::string deviceOf(const Line &line) {
  if (line.tiles.empty())
    return "CPU";
  return fmt::format("NPU.0 tile{} {}", line.tiles.size() == 1 ? "" : "s",
                     textOf(line.tiles));
}

/// The functions of the rows, in their order.
std::vector<std::string> functionsOf(const DeviceTable &table) {
  std::vector<std::string> names;
  for (const DeviceRow &row : table.rows)
    if (!llvm::is_contained(names, row.function))
      names.push_back(row.function);
  return names;
}

/// What the rows of one function are together.
struct Totals {
  int64_t onNpu = 0, onCpu = 0, fromTiles = 0, toTiles = 0;
  bool isKnown = true;

  Totals(const DeviceTable &table, StringRef function) {
    for (const DeviceRow &row : table.rows) {
      if (row.function != function)
        continue;
      ++(row.tile ? onNpu : onCpu);
      isKnown &= row.bytesFromTiles.has_value();
      fromTiles += row.bytesFromTiles.value_or(0);
      toTiles += row.bytesToTiles.value_or(0);
    }
  }
};

/// What would bring back to tiles what the host runs for a reason: the least
/// change of the device or the program; empty where the reason says nothing of
/// that.
std::string whatBringsBack(StringRef reason) {
  if (reason.consume_front("no kernel: ")) {
    if (reason.starts_with("no row for "))
      return fmt::format(
          "a kernel for {}",
          reason.drop_front(StringRef("no row for ").size()).str());
    if (reason.starts_with("row "))
      reason = reason.split(": ").second;
    return fmt::format("a kernel that takes {}",
                       reason.split("; ").first.str());
  }
  if (reason.consume_front("each tile would hold the ")) {
    int64_t bytes = 0;
    if (!reason.consumeInteger(10, bytes))
      return fmt::format("scratchpads of {} bytes", 4 * bytes);
  }
  if (reason.starts_with("it is not known which part"))
    return "a model of the operation (docs/adding-an-op.md)";
  return "";
}

/// What the host runs of a function for one reason.
struct HostPart {
  std::string reason, first;
  int64_t operations = 0, fromTiles = 0, toTiles = 0;
};

/// By reason, in the order of the first rows; a call of a function that the
/// host runs counts as the operations of that function.
std::vector<HostPart> hostPartsOf(const DeviceTable &table,
                                  StringRef function) {
  llvm::MapVector<std::string, HostPart, std::map<std::string, unsigned>> parts;
  for (const DeviceRow &row : table.rows) {
    if (row.function != function || row.tile || !row.computes)
      continue;
    StringRef callee = row.kernel;
    int64_t inCallee = 0;
    if (callee.consume_front("call of @"))
      inCallee = llvm::count_if(table.rows, [&](const DeviceRow &other) {
        return StringRef(other.function) == callee && other.computes;
      });
    HostPart &part = parts[row.reason];
    if (part.operations == 0)
      part.first = row.location;
    part.reason = row.reason;
    part.operations += std::max<int64_t>(inCallee, 1);
    part.fromTiles += row.bytesFromTiles.value_or(0);
    part.toTiles += row.bytesToTiles.value_or(0);
  }
  std::vector<HostPart> all;
  for (auto &[reason, part] : parts)
    all.push_back(std::move(part));
  return all;
}

/// What the host runs beside tiles, a paragraph for each reason.
void printHostParts(const DeviceTable &table, StringRef function,
                    raw_ostream &os) {
  for (const HostPart &part : hostPartsOf(table, function)) {
    os << wrapped(fmt::format("  the host runs {} operation{}, the first at {}",
                              part.operations, part.operations == 1 ? "" : "s",
                              part.first),
                  /*indent=*/4)
       << wrapped("    " + part.reason, /*indent=*/6)
       << wrapped(fmt::format("    {} bytes from tiles, {} back",
                              part.fromTiles, part.toTiles),
                  /*indent=*/6);
    std::string back = whatBringsBack(part.reason);
    if (!back.empty())
      os << wrapped("    back on tiles with " + back, /*indent=*/6);
  }
}

/// Rows of cells in columns as wide as they have to be, each with a text below
/// it, in lines of at most 80 columns.
class Columns {
public:
  void add(std::vector<std::string> cells, std::string below = "") {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
    rows.emplace_back(std::move(cells), std::move(below));
  }

  void print(raw_ostream &os) const {
    for (const auto &[cells, below] : rows) {
      std::string line;
      for (size_t i = 0; i < cells.size(); ++i)
        line += fmt::format("  {:<{}}", cells[i], widths[i]);
      os << wrapped(StringRef(line).rtrim().str(), /*indent=*/4);
      if (!below.empty())
        os << wrapped("    " + below, /*indent=*/6);
    }
  }

private:
  std::vector<std::pair<std::vector<std::string>, std::string>> rows;
  std::vector<size_t> widths;
};

void printFunction(const DeviceTable &table, StringRef function,
                   raw_ostream &os) {
  Totals totals(table, function);
  os << wrapped(
      fmt::format("function @{}: {} operation{} on the NPU, {} on the host",
                  function.str(), totals.onNpu, totals.onNpu == 1 ? "" : "s",
                  totals.onCpu),
      /*indent=*/4);
  if (totals.isKnown)
    os << fmt::format("  {} bytes from tiles to the host, {} back\n",
                      totals.fromTiles, totals.toTiles);
  if (totals.onNpu > 0 && totals.isKnown)
    printHostParts(table, function, os);
  bool isRun = llvm::any_of(table.rows, [&](const DeviceRow &row) {
    return row.function == function && row.executed;
  });
  Columns columns;
  // Names of kernels may be long: they come last.
  columns.add({"device", isRun ? "executed" : "runs", "from tiles", "to tiles",
               "kernel"});
  std::vector<Line> lines = linesOf(table, function);
  if (lines.size() > kManyLines)
    lines = withEqualKernelsOnce(lines);
  for (const Line &line : lines) {
    bool isKnown = line.row->bytesFromTiles.has_value();
    std::string count =
        line.operations > 1 ? fmt::format("{} of ", line.operations) : "";
    columns.add({deviceOf(line), line.executed,
                 isKnown ? std::to_string(line.fromTiles) : "-",
                 isKnown ? std::to_string(line.toTiles) : "-",
                 count + line.row->kernel},
                line.row->location + ": " + line.row->reason);
  }
  columns.print(os);
}

void writeNumber(llvm::json::OStream &json, StringRef name,
                 std::optional<int64_t> number) {
  json.attribute(name, number ? llvm::json::Value(*number)
                              : llvm::json::Value(nullptr));
}

void writeRow(llvm::json::OStream &json, const DeviceRow &row, size_t number) {
  json.attribute("row", static_cast<int64_t>(number));
  json.attribute("op", row.name);
  json.attribute("location", row.location);
  json.attribute("device", row.tile ? "NPU.0" : "CPU");
  writeNumber(json, "tile", row.tile);
  json.attribute("kernel", row.kernel);
  json.attribute("reason", row.reason);
  json.attribute("computes", row.computes);
  writeNumber(json, "bytes_from_tiles", row.bytesFromTiles);
  writeNumber(json, "bytes_to_tiles", row.bytesToTiles);
  json.attribute("runs_at_least", row.executions.least);
  writeNumber(json, "runs_at_most", row.executions.most);
  if (row.executed)
    json.attribute("executed", *row.executed);
}

} // namespace

void printDeviceTable(const DeviceTable &table, raw_ostream &os) {
  if (table.rows.empty())
    os << "no operation computes anything\n";
  for (const std::string &function : functionsOf(table))
    printFunction(table, function, os);
}

void printDeviceTableAsJson(const DeviceTable &table, raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("functions", [&] {
      for (const std::string &function : functionsOf(table))
        json.object([&] {
          Totals totals(table, function);
          json.attribute("name", function);
          json.attribute("npu_operations", totals.onNpu);
          json.attribute("cpu_operations", totals.onCpu);
          json.attributeArray("host", [&] {
            for (const HostPart &part : hostPartsOf(table, function))
              json.object([&] {
                json.attribute("reason", part.reason);
                json.attribute("operations", part.operations);
                json.attribute("first", part.first);
                json.attribute("bytes_from_tiles", part.fromTiles);
                json.attribute("bytes_to_tiles", part.toTiles);
                json.attribute("brought_back_by", whatBringsBack(part.reason));
              });
          });
          json.attributeArray("rows", [&] {
            for (auto [number, row] : llvm::enumerate(table.rows))
              if (row.function == function)
                json.object([&, &row = row, number = number] {
                  writeRow(json, row, number);
                });
          });
        });
    });
  });
  os << "\n";
}

} // namespace npu
