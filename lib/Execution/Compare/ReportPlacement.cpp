// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportPlacement.h"

#include "CheckPlacement.h"
#include "npu/Support/InputFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Writes to the file that the user has named, as JSON where its name ends so,
/// or as text to `out`.
LogicalResult write(const DeviceTable &table, const std::string &file,
                    llvm::raw_ostream &out) {
  if (file == "-") {
    printDeviceTable(table, out);
    return success();
  }
  if (Result<> refused = checkOutput("--placement-report", file); !refused)
    return failRun(refused.error().message);
  std::error_code error;
  llvm::ToolOutputFile opened(file, error, llvm::sys::fs::OF_Text);
  if (error)
    return failRun(
        fmt::format("--placement-report: {}: {}", file, error.message()));
  if (StringRef(file).ends_with(".json"))
    printDeviceTableAsJson(table, opened.os());
  else
    printDeviceTable(table, opened.os());
  opened.os().flush();
  if (opened.os().has_error()) {
    std::string why = opened.os().error().message();
    opened.os().clear_error();
    return failRun(fmt::format("--placement-report: {}: {}", file, why));
  }
  opened.keep();
  return success();
}

} // namespace

LogicalResult reportPlacement(Sides &sides, const RunOptions &options,
                              llvm::raw_ostream &out) {
  Side &own = sides.own;
  if (!own.record || own.runs == 0)
    return success();
  std::vector<std::string> wrong =
      checkPlacement(own.placement, *own.record, own.runs);
  if (failed(write(own.placement, options.placementReport, out)))
    return failure();
  if (wrong.empty()) {
    out << "placement: every operation was executed where the report says\n";
    return success();
  }
  out.flush();
  for (const std::string &sentence : wrong)
    (void)failRun("placement: " + sentence);
  out << "placement: not as the report says\n";
  return failure();
}

} // namespace npu
