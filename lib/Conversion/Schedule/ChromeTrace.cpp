// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChromeTrace.h"

#include "RowNames.h"
#include "npu/Support/Naming.h"

#include "llvm/ADT/BitVector.h"

#include <fmt/format.h>
#include <map>
#include <set>

using namespace mlir;

namespace npu {
namespace {

/// A number for each engine: those of a tile beside each other, then the ports
/// and links.
int64_t threadOf(const ScheduleRow &row, int64_t tiles) {
  if (row.isCompute())
    return 2 * row.tile + (row.engine == Engine::Vector ? 1 : 0) + 1;
  return 2 * tiles + row.port + 1;
}

} // namespace

ChromeTrace::ChromeTrace(raw_ostream &os, const Target &target)
    : os(os), target(target) {
  os << "{\"displayTimeUnit\": \"ns\",\n \"otherData\": "
     << llvm::json::Value(llvm::json::Object{{"modelled_on", target.name},
                                             {"clock_hz", target.clockHz}})
     << ",\n \"traceEvents\": [";
}

ChromeTrace::~ChromeTrace() { os << "\n]}\n"; }

void ChromeTrace::event(llvm::json::Object event) {
  os << (isFirst ? "\n" : ",\n");
  isFirst = false;
  event["pid"] = processes;
  os << "  " << llvm::json::Value(std::move(event));
}

double ChromeTrace::microseconds(int64_t cycles) const {
  return static_cast<double>(cycles) * 1e6 /
         static_cast<double>(target.clockHz);
}

void ChromeTrace::add(StringRef function, const Schedule &schedule,
                      ArrayRef<RowId> rows) {
  ++processes;
  event(llvm::json::Object{
      {"ph", "M"},
      {"name", "process_name"},
      {"tid", 0},
      {"args",
       llvm::json::Object{{"name", fmt::format("{} @{}, modelled", target.name,
                                               function.str())}}}});
  addThreads(schedule, rows);
  addRows(schedule, rows);
  addFlows(schedule, rows);
  addDdr(schedule);
  addScratchpads(schedule);
}

void ChromeTrace::addThreads(const Schedule &schedule, ArrayRef<RowId> rows) {
  std::map<int64_t, std::string> names;
  for (RowId id : rows)
    names.try_emplace(threadOf(schedule.rows[id], schedule.tiles),
                      nameOfEngine(schedule.rows[id]));
  for (const auto &[thread, name] : names) {
    event(llvm::json::Object{{"ph", "M"},
                             {"name", "thread_name"},
                             {"tid", thread},
                             {"args", llvm::json::Object{{"name", name}}}});
    event(llvm::json::Object{
        {"ph", "M"},
        {"name", "thread_sort_index"},
        {"tid", thread},
        {"args", llvm::json::Object{{"sort_index", thread}}}});
  }
}

void ChromeTrace::addRows(const Schedule &schedule, ArrayRef<RowId> rows) {
  llvm::DenseMap<Operation *, std::string> locations;
  for (RowId id : rows) {
    const ScheduleRow &row = schedule.rows[id];
    auto [location, isNew] = locations.try_emplace(row.op);
    if (isNew)
      location->second = nameOfLocation(row.op->getLoc());
    llvm::json::Object args{{"row", id},
                            {"cycles", row.end - row.begin},
                            {"location", location->second}};
    if (!row.isCompute())
      args["ddr_bytes"] = row.ddrBytes;
    // "A, B at file:1:2" begins with the names that the operation has.
    auto [names, place] = StringRef(location->second).split(" at ");
    std::string name = nameOfWork(row);
    if (!place.empty())
      name += " " + names.str();
    event(llvm::json::Object{{"ph", "X"},
                             {"name", name},
                             {"cat", row.isCompute() ? "compute" : "transfer"},
                             {"tid", threadOf(row, schedule.tiles)},
                             {"ts", microseconds(row.begin)},
                             {"dur", microseconds(row.end - row.begin)},
                             {"args", std::move(args)}});
  }
}

void ChromeTrace::addFlows(const Schedule &schedule, ArrayRef<RowId> rows) {
  llvm::BitVector shown(schedule.rows.size());
  for (RowId id : rows)
    shown.set(id);
  for (RowId id : rows) {
    const ScheduleRow &row = schedule.rows[id];
    // A flow ends in an event that takes time: viewers find it by its times.
    if (!row.isCompute() || row.begin == row.end)
      continue;
    std::set<RowId> writers;
    for (const ByteRange &read :
         ArrayRef(schedule.reads)
             .slice(row.reads, row.endOfReads - row.reads)) {
      if (read.writer == kNoRow || !shown.test(read.writer))
        continue;
      const ScheduleRow &writer = schedule.rows[read.writer];
      if (!writer.isCompute() && writer.begin != writer.end)
        writers.insert(read.writer);
    }
    for (RowId from : writers) {
      const ScheduleRow &writer = schedule.rows[from];
      auto end = [&](StringRef phase, const ScheduleRow &at) {
        llvm::json::Object flow{{"ph", phase},
                                {"name", "brings"},
                                {"cat", "flow"},
                                {"id", flows},
                                {"tid", threadOf(at, schedule.tiles)},
                                {"ts", microseconds(at.begin)}};
        if (phase == "f")
          flow["bp"] = "e";
        event(std::move(flow));
      };
      ++flows;
      end("s", writer);
      end("f", row);
    }
  }
}

void ChromeTrace::counter(StringRef name, StringRef unit, int64_t cycles,
                          llvm::json::Value value) {
  event(llvm::json::Object{
      {"ph", "C"},
      {"name", name},
      {"tid", 0},
      {"ts", microseconds(cycles)},
      {"args", llvm::json::Object{{unit, std::move(value)}}}});
}

void ChromeTrace::addDdr(const Schedule &schedule) {
  // The bytes of a cycle, by when they change.
  std::map<int64_t, double> changes;
  for (const ScheduleRow &row : schedule.rows) {
    if (row.ddrBytes == 0 || row.begin == row.end)
      continue;
    double rate = static_cast<double>(row.ddrBytes) /
                  static_cast<double>(row.end - row.begin);
    changes[row.begin] += rate;
    changes[row.end] -= rate;
  }
  double perCycle = 0;
  for (const auto &[cycles, change] : changes) {
    perCycle += change;
    double rate = perCycle * static_cast<double>(target.clockHz) / 1e9;
    // What is left of differences of sums is nothing.
    counter("DDR", "GB/s", cycles, rate < 1e-6 ? 0 : rate);
  }
}

void ChromeTrace::addScratchpads(const Schedule &schedule) {
  // What was written is there until it is read last; what was there at the
  // start, by its range.
  using Written = std::tuple<RowId, int64_t, int64_t, int64_t>;
  std::map<Written, int64_t> lastReads;
  std::vector<int64_t> lastUse(schedule.rows.size(), 0);
  for (const ScheduleRow &row : schedule.rows)
    for (const ByteRange &read :
         ArrayRef(schedule.reads)
             .slice(row.reads, row.endOfReads - row.reads)) {
      if (read.writer != kNoRow) {
        lastUse[read.writer] = std::max(lastUse[read.writer], row.end);
        continue;
      }
      int64_t &last = lastReads[{read.writer, read.tile, read.begin, read.end}];
      last = std::max(last, row.end);
    }
  std::map<int64_t, std::map<int64_t, int64_t>> changes;
  auto add = [&](int64_t tile, int64_t from, int64_t to, int64_t bytes) {
    changes[tile][from] += bytes;
    changes[tile][to] -= bytes;
  };
  for (const auto &[range, last] : lastReads)
    add(std::get<1>(range), 0, last, std::get<3>(range) - std::get<2>(range));
  for (auto [id, row] : llvm::enumerate(schedule.rows))
    for (const ByteRange &write :
         ArrayRef(schedule.writes)
             .slice(row.writes, row.endOfWrites - row.writes))
      add(write.tile, row.begin, std::max(row.end, lastUse[id]),
          write.end - write.begin);
  for (const auto &[tile, ofTile] : changes) {
    int64_t bytes = 0;
    for (const auto &[cycles, change] : ofTile) {
      if (change == 0)
        continue;
      bytes += change;
      counter(fmt::format("tile {} scratchpad", tile), "bytes", cycles, bytes);
    }
  }
}

} // namespace npu
