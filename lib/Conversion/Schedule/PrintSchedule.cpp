// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-schedule: prints when every engine does what.

#include "../PlanScratchpad/PlanFunctions.h"
#include "ChromeTrace.h"
#include "ProgramRows.h"
#include "RowNames.h"
#include "ScheduleFigures.h"
#include "Timeline.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Conversion/Schedule/Passes.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Placement/Pictures/Lines.h"
#include "npu/Support/Naming.h"
#include "npu/Support/OptionReaders.h"
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
  if (summary.bytesBetweenMachines)
    json.attribute("bytes_between_machines", *summary.bytesBetweenMachines);
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

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.1f} %", 100 * static_cast<double>(part) /
                                                  static_cast<double>(whole));
}

std::string figuresOf(func::FuncOp function, const ScheduleSummary &summary,
                      const Target &target) {
  std::string machines =
      summary.bytesBetweenMachines
          ? fmt::format("  machines {} bytes from one to another\n",
                        *summary.bytesBetweenMachines)
          : "";
  return fmt::format(
      "function @{} on {}\n"
      "  total    {} cycles, {:.3f} ms\n"
      "  compute  {} cycles at least, {} of the total\n"
      "  DDR      {} cycles at least, {} of the total; {} bytes, at least {}\n"
      "{}"
      "  waiting  {} cycles of the busiest tile, {} of the busiest port\n",
      function.getName().str(), target.name, summary.total,
      summary.seconds * 1000, summary.computeBound,
      percent(summary.computeBound, summary.total), summary.ddrBound,
      percent(summary.ddrBound, summary.total), summary.ddrBytes,
      summary.ddrBytesBound, machines, summary.computeWaiting,
      summary.transferWaiting);
}

std::string textOf(func::FuncOp function, const Schedule &schedule,
                   const ScheduleSummary &summary,
                   const std::vector<RowId> &order, llvm::ArrayRef<RowId> rows,
                   const Target &target) {
  std::string text = figuresOf(function, summary, target);
  text += timelineOf(schedule, /*mostEngines=*/0);
  std::vector<TimesOfPlace> all = timesOfPlaces(schedule, order);
  constexpr size_t most = 10;
  text += "  cycles of all tiles by operation, those that wait longest first\n"
          "       waiting          work     transfers  rows  at\n";
  for (const TimesOfPlace &each : llvm::ArrayRef(all).take_front(most))
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

/// The same in lines of at most 80 columns: a timeline, and the operations that
/// wait longest.
std::string pictureOf(func::FuncOp function, const Schedule &schedule,
                      const ScheduleSummary &summary,
                      const std::vector<RowId> &order,
                      llvm::ArrayRef<RowId> rows, const Target &target,
                      size_t mostEngines) {
  std::string text;
  auto line = [&](const std::string &each, size_t indent) {
    text += wrapped(each, indent);
  };
  std::string figures = figuresOf(function, summary, target);
  for (llvm::StringRef each : llvm::split(StringRef(figures).rtrim(), '\n'))
    line(each.str(), /*indent=*/11);
  std::string timeline = timelineOf(schedule, mostEngines);
  if (!timeline.empty())
    line("  " + timelineLegend.str(), /*indent=*/4);
  text += timeline;
  std::vector<TimesOfPlace> all = timesOfPlaces(schedule, order);
  constexpr size_t most = 5;
  line("  cycles of all tiles, operations that wait longest first",
       /*indent=*/4);
  for (const TimesOfPlace &each : llvm::ArrayRef(all).take_front(most)) {
    line(fmt::format("  {} {}", each.op->getName().getStringRef().str(),
                     nameOfLocation(each.op->getLoc())),
         /*indent=*/4);
    line(fmt::format("    waiting {}, work {}, transfers {}, rows {}",
                     each.waiting, each.work, each.transfers, each.rows),
         /*indent=*/6);
  }
  if (all.size() > most)
    line(fmt::format("  ... {} more operations; ten with format=text",
                     all.size() - most),
         /*indent=*/4);
  for (RowId id : rows) {
    const ScheduleRow &row = schedule.rows[id];
    line(fmt::format("  {:>12} {:>12}  {} {} {}", row.begin, row.end,
                     nameOfEngine(row), nameOfWork(row),
                     nameOfLocation(row.op->getLoc())),
         /*indent=*/29);
  }
  return text;
}

struct PrintSchedulePass : impl::PrintScheduleBase<PrintSchedulePass> {
  using PrintScheduleBase::PrintScheduleBase;

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(PrintScheduleBase::initializeOptions(text, fail)) ||
        failed(verifyOptionReaders(getArgument(),
                                   {{"engines", {"format=picture"}, {}, "32"}},
                                   text, fail)))
      return failure();
    return verifyTargetOption(target.hasValue(), target, fail);
  }

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (engines < 0)
      return mlir::emitError(loc)
             << getArgument() << ": expected engines of 0 or more, got "
             << engines.getValue();
    return verifyFormat(loc, getArgument(), format,
                        {"text", "json", "picture", "chrome"});
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
    std::optional<ChromeTrace> trace;
    if (format == "chrome") {
      if ((*device)->clockHz <= 0) {
        getOperation()->emitError()
            << "a trace is in microseconds: expected a clock of the target '"
            << (*device)->name << "', got none";
        return signalPassFailure();
      }
      trace.emplace(os, **device);
    }
    if (isJson) {
      json.objectBegin();
      json.attributeBegin("functions");
      json.arrayBegin();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<ScheduledFunction> scheduled = scheduleFunction(
          function, **device, /*keepsRanges=*/trace || (isJson && rows != 0));
      if (failed(scheduled))
        return signalPassFailure();
      const auto &[program, order, summary] = *scheduled;
      remarkUnmarked(program);
      for (Operation *loop : program.unknownLoops)
        mlir::emitRemark(loop->getLoc())
            << "'" << loop->getName()
            << "' has a number of rounds that is not known: one counts";
      auto printed = llvm::ArrayRef(order);
      // All rows are for programs; a text of them is printed when asked for.
      if (rows >= 0)
        printed = printed.take_front(rows);
      else if (!isJson && !trace)
        printed = {};
      if (trace)
        trace->add(function.getName(), program.schedule, printed);
      else if (isJson)
        json.object([&, &program = program, &summary = summary] {
          writeJson(json, function, program.schedule, summary, printed);
        });
      else if (format == "picture")
        os << pictureOf(function, program.schedule, summary, order, printed,
                        **device, engines);
      else
        os << textOf(function, program.schedule, summary, order, printed,
                     **device);
    }
    trace.reset();
    if (isJson) {
      json.arrayEnd();
      json.attributeEnd();
      json.objectEnd();
      os << "\n";
    }
    if (failed(writeReport(getOperation(), getArgument(), outputFile, text,
                           format == "picture")))
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
