// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules as traces for viewers: Chrome's trace event format in its JSON
// Object Format, which Perfetto, speedscope and chrome://tracing open.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_CHROMETRACE_H
#define NPU_LIB_CONVERSION_SCHEDULE_CHROMETRACE_H

#include "ListSchedule.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace npu {

/// Writes a trace, event after event.
class ChromeTrace {
public:
  ChromeTrace(llvm::raw_ostream &os, const Target &target);
  /// Ends the trace.
  ~ChromeTrace();

  /// Adds the schedule of a function as a process of its own, which begins at
  /// 0: a thread for each engine, a complete event for each of `rows`, a flow
  /// from each transfer to each work that reads what it brought, and counters
  /// of what DDR gives and of the bytes in each scratchpad that something reads
  /// later. Times are in microseconds of the target's clock. Preconditions: the
  /// schedule keeps its ranges, and rows come in the order of their begin.
  void add(llvm::StringRef function, const Schedule &schedule,
           llvm::ArrayRef<RowId> rows);

private:
  void event(llvm::json::Object event);
  double microseconds(int64_t cycles) const;
  void addThreads(const Schedule &schedule, llvm::ArrayRef<RowId> rows);
  void addRows(const Schedule &schedule, llvm::ArrayRef<RowId> rows);
  void addFlows(const Schedule &schedule, llvm::ArrayRef<RowId> rows);
  void addDdr(const Schedule &schedule);
  void addScratchpads(const Schedule &schedule);
  void counter(llvm::StringRef name, llvm::StringRef unit, int64_t cycles,
               llvm::json::Value value);

  llvm::raw_ostream &os;
  const Target &target;
  int64_t processes = 0, flows = 0;
  bool isFirst = true;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_CHROMETRACE_H
