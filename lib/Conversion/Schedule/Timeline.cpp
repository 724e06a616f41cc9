// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Timeline.h"

#include "RowNames.h"
#include "npu/Placement/Pictures/Lines.h"

#include <fmt/format.h>
#include <map>

namespace npu {

std::string timelineOf(const Schedule &schedule, size_t mostEngines) {
  int64_t total = schedule.total();
  if (total == 0)
    return "";
  // Ports and links first, each kind by its numbers.
  using Key = std::tuple<bool, int64_t, Engine>;
  std::map<Key, std::vector<const ScheduleRow *>> engines;
  size_t width = 0;
  for (const ScheduleRow &row : schedule.rows) {
    engines[row.isCompute() ? Key{true, row.tile, row.engine}
                            : Key{false, row.port, Engine::Load}]
        .push_back(&row);
    width = std::max(width, nameOfEngine(row).size());
  }
  size_t columns = std::min(columnsOfTimeline,
                            terminalColumns - std::min<size_t>(width + 5, 40));
  double cyclesOfColumn = static_cast<double>(total) / columns;
  std::string text;
  size_t shown = 0;
  for (const auto &[key, rows] : engines) {
    if (mostEngines != 0 && shown == mostEngines)
      break;
    ++shown;
    std::vector<double> parts(columns, 0);
    for (const ScheduleRow *row : rows)
      for (auto column = static_cast<size_t>(static_cast<double>(row->begin) /
                                             cyclesOfColumn);
           column < columns; ++column) {
        double from = std::max(static_cast<double>(row->begin),
                               static_cast<double>(column) * cyclesOfColumn);
        double to = std::min(static_cast<double>(row->end),
                             static_cast<double>(column + 1) * cyclesOfColumn);
        if (to <= from)
          break;
        parts[column] += (to - from) / cyclesOfColumn;
      }
    text += fmt::format("  {:<{}} |", nameOfEngine(*rows.front()), width);
    for (double part : parts)
      text += part > 0.95 ? '#' : part > 0.5 ? '+' : part > 0.02 ? '.' : ' ';
    text += "|\n";
  }
  if (shown < engines.size())
    text += leftOut(engines.size() - shown, "engine", "engines", /*indent=*/2);
  return text;
}

} // namespace npu
