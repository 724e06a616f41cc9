// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-schedule: prints when every engine does what.

#include "../PlanScratchpad/PlanFunctions.h"
#include "ScheduleFigures.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Schedule/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Support/Naming.h"
#include "npu/Support/Report.h"

#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTSCHEDULE
#include "npu/Conversion/Schedule/Passes.h.inc"

namespace {

void writeRanges(llvm::raw_ostream &os, llvm::ArrayRef<ByteRange> ranges,
                 bool withWriter) {
  os << "[";
  llvm::interleaveComma(ranges, os, [&](const ByteRange &range) {
    os << "[" << range.tile << ", " << range.begin << ", " << range.end;
    if (withWriter && range.writer == kNoRow)
      os << ", null";
    else if (withWriter)
      os << ", " << range.writer;
    os << "]";
  });
  os << "]";
}

void writeJson(llvm::json::OStream &json, func::FuncOp function,
               const Schedule &schedule, const ScheduleSummary &summary,
               llvm::ArrayRef<RowId> rows) {
  json.attribute("name", function.getName());
  json.attribute("unit", "cycles");
  json.attribute("total", summary.total);
  json.attribute("seconds", summary.seconds);
  json.attribute("compute_bound", summary.computeBound);
  json.attribute("ddr_bound", summary.ddrBound);
  json.attribute("ddr_bytes", summary.ddrBytes);
  json.attribute("ddr_bytes_bound", summary.ddrBytesBound);
  json.attributeObject("waiting", [&] {
    json.attribute("compute", summary.computeWaiting);
    json.attribute("transfer", summary.transferWaiting);
  });
  llvm::DenseMap<Operation *, std::string> locations;
  json.attributeArray("rows", [&] {
    for (RowId id : rows) {
      const ScheduleRow &row = schedule.rows[id];
      std::string &location = locations[row.op];
      if (location.empty())
        location = nameOfLocation(row.op->getLoc());
      json.object([&] {
        json.attribute("id", id);
        json.attribute("engine", nameOfEngine(row));
        json.attribute("begin", row.begin);
        json.attribute("end", row.end);
        json.attribute("what", nameOfWork(row));
        json.attribute("location", location);
        json.attribute("bytes", row.ddrBytes);
        auto ranges = [&](llvm::StringRef name,
                          const std::vector<ByteRange> &all, size_t begin,
                          size_t end, bool withWriter) {
          json.attributeBegin(name);
          json.rawValue([&](llvm::raw_ostream &os) {
            writeRanges(os, llvm::ArrayRef(all).slice(begin, end - begin),
                        withWriter);
          });
          json.attributeEnd();
        };
        ranges("reads", schedule.reads, row.reads, row.endOfReads, true);
        ranges("writes", schedule.writes, row.writes, row.endOfWrites, false);
      });
    }
  });
}

/// One line for each engine, in which each of so many columns is an equal part
/// of the time: full, partly or not at work.
std::string pictureOf(const Schedule &schedule,
                      const ScheduleSummary &summary) {
  constexpr int64_t columns = 64;
  if (summary.total == 0)
    return "";
  std::map<std::pair<int, std::string>, std::vector<double>> lines;
  size_t width = 0;
  double cyclesOfColumn = static_cast<double>(summary.total) / columns;
  for (const ScheduleRow &row : schedule.rows) {
    std::string name = nameOfEngine(row);
    width = std::max(width, name.size());
    std::vector<double> &line = lines[{row.isCompute() ? 1 : 0, name}];
    line.resize(columns, 0);
    for (auto column = static_cast<int64_t>(static_cast<double>(row.begin) /
                                            cyclesOfColumn);
         column < columns; ++column) {
      double from = std::max(static_cast<double>(row.begin),
                             static_cast<double>(column) * cyclesOfColumn);
      double to = std::min(static_cast<double>(row.end),
                           static_cast<double>(column + 1) * cyclesOfColumn);
      if (to <= from)
        break;
      line[column] += (to - from) / cyclesOfColumn;
    }
  }
  std::string text;
  for (const auto &[key, line] : lines) {
    text += fmt::format("  {:<{}} |", key.second, width);
    for (double part : line)
      text += part > 0.95 ? '#' : part > 0.5 ? '+' : part > 0.02 ? '.' : ' ';
    text += "|\n";
  }
  return text;
}

/// What the engines of one operation of the program do.
struct OfOperation {
  Operation *op = nullptr;
  int64_t rows = 0, work = 0, transfers = 0, waiting = 0;
};

/// For each location, its work and transfers, and how long its rows wait.
std::vector<OfOperation> byLocation(const Schedule &schedule,
                                    const std::vector<RowId> &order) {
  llvm::MapVector<Location, OfOperation> found;
  std::vector<int64_t> waiting = waitingOfRows(schedule, order);
  for (RowId id : order) {
    const ScheduleRow &row = schedule.rows[id];
    OfOperation &each = found[row.op->getLoc()];
    if (!each.op || isa<TransferOp>(each.op))
      each.op = row.op;
    ++each.rows;
    (row.isCompute() ? each.work : each.transfers) += row.end - row.begin;
    each.waiting += waiting[id];
  }
  std::vector<OfOperation> all;
  for (auto &[location, each] : found)
    all.push_back(each);
  llvm::stable_sort(all, [](const OfOperation &a, const OfOperation &b) {
    return a.waiting > b.waiting;
  });
  return all;
}

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.1f} %", 100 * static_cast<double>(part) /
                                                  static_cast<double>(whole));
}

std::string textOf(func::FuncOp function, const Schedule &schedule,
                   const ScheduleSummary &summary,
                   const std::vector<RowId> &order, llvm::ArrayRef<RowId> rows,
                   const Target &target) {
  std::string text = fmt::format(
      "function @{} on {}\n"
      "  total    {} cycles, {:.3f} ms\n"
      "  compute  {} cycles at least, {} of the total\n"
      "  DDR      {} cycles at least, {} of the total; {} bytes, at least {}\n"
      "  waiting  {} cycles of the busiest tile, {} of the busiest port\n",
      function.getName().str(), target.name, summary.total,
      summary.seconds * 1000, summary.computeBound,
      percent(summary.computeBound, summary.total), summary.ddrBound,
      percent(summary.ddrBound, summary.total), summary.ddrBytes,
      summary.ddrBytesBound, summary.computeWaiting, summary.transferWaiting);
  text += pictureOf(schedule, summary);
  std::vector<OfOperation> all = byLocation(schedule, order);
  constexpr size_t most = 10;
  text += "  cycles of all tiles by operation, those that wait longest first\n"
          "       waiting          work     transfers  rows  at\n";
  for (const OfOperation &each : llvm::ArrayRef(all).take_front(most))
    text += fmt::format("  {:>12}  {:>12}  {:>12}  {:>4}  {} {}\n",
                        each.waiting, each.work, each.transfers, each.rows,
                        each.op->getName().getStringRef().str(),
                        nameOfLocation(each.op->getLoc()));
  if (all.size() > most)
    text += fmt::format("  {} more\n", all.size() - most);
  for (RowId id : rows) {
    const ScheduleRow &row = schedule.rows[id];
    text += fmt::format("  {:>12} {:>12}  {:<14} {:<20} {}\n", row.begin,
                        row.end, nameOfEngine(row), nameOfWork(row),
                        nameOfLocation(row.op->getLoc()));
  }
  return text;
}

struct PrintSchedulePass : impl::PrintScheduleBase<PrintSchedulePass> {
  using PrintScheduleBase::PrintScheduleBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintScheduleBase::initializeOptions(text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    return verifyFormat(UnknownLoc::get(context), getArgument(), format);
  }

  void runOnOperation() override {
    auto device = targetWithCosts(getOperation(), target);
    if (failed(device))
      return signalPassFailure();
    if (!*device) {
      getOperation()->emitError()
          << "expected a target whose figures count (target=, or in the "
             "module), got none";
      return signalPassFailure();
    }
    // Places that no plan has are no places to wait for.
    if (failed(verifyScratchpadPlans(getOperation())))
      return signalPassFailure();
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os, /*IndentSize=*/2);
    bool isJson = format == "json";
    if (isJson) {
      json.objectBegin();
      json.attributeBegin("functions");
      json.arrayBegin();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<ProgramRows> program =
          rowsOf(function, **device, /*keepsRanges=*/isJson && rows != 0);
      if (failed(program))
        return signalPassFailure();
      remarkUnmarked(*program);
      schedule(program->schedule, **device);
      std::vector<RowId> order = inOrderOfTime(program->schedule);
      ScheduleSummary summary = summarize(*program, order, **device);
      auto printed = llvm::ArrayRef(order);
      // All rows are for programs; a text of them is printed when asked for.
      if (rows >= 0)
        printed = printed.take_front(rows);
      else if (!isJson)
        printed = {};
      if (isJson)
        json.object([&] {
          writeJson(json, function, program->schedule, summary, printed);
        });
      else
        os << textOf(function, program->schedule, summary, order, printed,
                     **device);
    }
    if (isJson) {
      json.arrayEnd();
      json.attributeEnd();
      json.objectEnd();
      os << "\n";
    }
    if (failed(writeReport(getOperation(), getArgument(), outputFile, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static void remarkUnmarked(const ProgramRows &program) {
    if (program.unmarked == 0)
      return;
    mlir::emitRemark(program.firstUnmarked->getLoc())
        << "'" << program.firstUnmarked->getName()
        << "' has no cycles of npu-mark-cycles, the first of "
        << program.unmarked << " such rows: they count 0 cycles";
  }
};

} // namespace
} // namespace npu
