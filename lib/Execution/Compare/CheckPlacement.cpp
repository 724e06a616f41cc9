// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckPlacement.h"
#include "npu/Placement/Result.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {
namespace {

std::string nameOf(const std::set<std::optional<int64_t>> &devices) {
  std::vector<std::string> names;
  for (std::optional<int64_t> tile : devices)
    names.push_back(nameOfDevice(tile));
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string nameOf(const DeviceRow &row, size_t number) {
  return fmt::format("row {}, '{}' at {}, device {}", number, row.name,
                     row.location, nameOfDevice(row.tile));
}

int64_t timesRuns(int64_t count, int64_t runs) {
  int64_t product = 0;
  return llvm::MulOverflow(count, runs, product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

/// Checks the number of executions.
Result<> checkCount(const DeviceRow &row, int64_t runs) {
  int64_t least = timesRuns(row.executions.least, runs);
  if (*row.executed < least)
    return Error{*row.executed == 0
                     ? "it was never executed"
                     : fmt::format("expected at least {} executions, got {}",
                                   least, *row.executed)};
  if (row.executions.most &&
      *row.executed > timesRuns(*row.executions.most, runs))
    return Error{fmt::format("expected at most {} executions, got {}",
                             timesRuns(*row.executions.most, runs),
                             *row.executed)};
  return Success();
}

} // namespace

std::vector<std::string> checkPlacement(DeviceTable &table,
                                        const ExecutionRecord &record,
                                        int64_t runs) {
  std::vector<std::string> wrong;
  for (DeviceRow &row : table.rows)
    row.executed = 0;
  for (const ExecutionSite &site : record.sites) {
    int64_t count = site.count;
    if (count == 0)
      continue;
    if (!site.row || *site.row >= table.rows.size()) {
      wrong.push_back(fmt::format("'{}' at {} was executed on {}, and no row "
                                  "of the report stands for it",
                                  site.name, site.location,
                                  nameOf(site.devices)));
      continue;
    }
    DeviceRow &row = table.rows[*site.row];
    row.executed = std::max(*row.executed, count);
    if (site.devices != std::set{row.tile})
      wrong.push_back(fmt::format("{}: it was executed on {}",
                                  nameOf(row, *site.row),
                                  nameOf(site.devices)));
  }
  for (auto [number, row] : llvm::enumerate(table.rows))
    if (Result<> checked = checkCount(row, runs); !checked)
      wrong.push_back(
          fmt::format("{}: {}", nameOf(row, number), checked.error().message));
  return wrong;
}

} // namespace npu
