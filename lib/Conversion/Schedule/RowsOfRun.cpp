// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../PlanScratchpad/PlanFunctions.h"
#include "RowNames.h"
#include "ScheduleFigures.h"
#include "npu/Conversion/Schedule/ModelledRun.h"

#include <map>

using namespace mlir;

namespace npu {

/// When the last row ends that reads what each row has written into a tile.
static std::map<std::pair<RowId, int64_t>, int64_t>
lastReads(const Schedule &schedule) {
  std::map<std::pair<RowId, int64_t>, int64_t> ends;
  for (const ScheduleRow &row : schedule.rows)
    for (size_t i = row.reads; i < row.endOfReads; ++i) {
      const ByteRange &read = schedule.reads[i];
      if (read.writer == kNoRow)
        continue;
      int64_t &end = ends[{read.writer, read.tile}];
      end = std::max(end, row.end);
    }
  return ends;
}

FailureOr<RowsOfRun> rowsOfRun(func::FuncOp function, const Target &target) {
  // Places that no plan has are no places to wait for.
  if (failed(verifyScratchpadPlans(function->getParentOfType<ModuleOp>())))
    return failure();
  FailureOr<ScheduledFunction> scheduled =
      scheduleFunction(function, target, /*keepsRanges=*/true);
  if (failed(scheduled))
    return failure();
  const Schedule &rows = scheduled->program.schedule;
  const std::vector<RowId> &order = scheduled->order;
  RowsOfRun run{scheduled->summary, {}, {}, timesOfPlaces(rows, order)};
  std::vector<int64_t> waited = waitingOfRows(rows, order);
  auto reads = lastReads(rows);
  for (RowId id : order) {
    const ScheduleRow &row = rows.rows[id];
    run.rows.push_back({row.op, nameOfEngine(row), nameOfWork(row), row.begin,
                        row.end, row.ddrBytes, row.isCompute(), waited[id]});
    for (size_t i = row.writes; i < row.endOfWrites; ++i) {
      const ByteRange &bytes = rows.writes[i];
      auto read = reads.find({id, bytes.tile});
      run.uses.push_back({bytes.tile, bytes.begin, bytes.end, row.begin,
                          read == reads.end() ? row.end : read->second,
                          row.op});
    }
  }
  return run;
}

} // namespace npu
