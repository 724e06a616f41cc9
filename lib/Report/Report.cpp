// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from the figures of a report, and its JSON.

#include "npu/Report/Report.h"

#include "npu/Artefact/Container.h"
#include "npu/Artefact/JsonFields.h"
#include "npu/Target/ModelErrors.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

namespace json = llvm::json;

namespace npu {

template <typename Fields>
static bool mapFields(Fields &fields, ReportLayer &layer) {
  return fields.map("name", layer.name) && fields.map("fused", layer.fused) &&
         fields.map("kind", layer.kind) && fields.count("tiles", layer.tiles) &&
         fields.count("cycles", layer.cycles) && fields.map("ms", layer.ms) &&
         fields.map("share", layer.share) && fields.count("macs", layer.macs) &&
         fields.map("utilisation", layer.utilisation) &&
         fields.count("ddr_bytes", layer.ddrBytes) &&
         fields.count("waiting", layer.waiting);
}

template <typename Fields>
static bool mapFields(Fields &fields, ReportError &error) {
  return fields.map("work", error.work) && fields.map("median", error.median) &&
         fields.map("worst_tenth", error.worstTenth);
}

template <typename Fields>
static bool mapFields(Fields &fields, Report &report) {
  return fields.map("refusal", report.refusal) &&
         fields.map("entry", report.entry) &&
         fields.map("modelled_on", report.device) &&
         fields.count("total_cycles", report.totalCycles) &&
         fields.count("clock_hz", report.clockHz) &&
         fields.map("seconds", report.seconds) &&
         fields.map("inferences_per_second", report.inferencesPerSecond) &&
         fields.map("tokens_of_run", report.tokensOfRun) &&
         fields.map("tokens_per_second", report.tokensPerSecond) &&
         fields.count("compute_bound", report.computeBound) &&
         fields.map("compute_utilisation", report.computeUtilisation) &&
         fields.count("ddr_bound", report.ddrBound) &&
         fields.count("ddr_bytes", report.ddrBytes) &&
         fields.count("ddr_bytes_bound", report.ddrBytesBound) &&
         fields.map("ddr_utilisation", report.ddrUtilisation) &&
         fields.mapIfKnown("bytes_between_machines",
                           report.bytesBetweenMachines) &&
         fields.count("compute_waiting", report.computeWaiting) &&
         fields.count("transfer_waiting", report.transferWaiting) &&
         fields.count("scratchpad_tile", report.scratchpadTile) &&
         fields.count("scratchpad_bytes", report.scratchpadBytes) &&
         fields.count("scratchpad_size", report.scratchpadSize) &&
         fields.map("host_islands", report.hostIslands) &&
         fields.map("precision_warnings", report.precisionWarnings) &&
         fields.map("known_errors", report.errors) &&
         fields.map("notes", report.notes) &&
         fields.map("layers", report.layers);
}

static double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

void complete(Report &report, const Target &target) {
  report.device = target.name;
  report.clockHz = target.clockHz;
  report.scratchpadSize = target.scratchpadBytes;
  int64_t total = report.totalCycles;
  report.computeUtilisation = ratio(report.computeBound, total);
  if (target.clockHz > 0) {
    report.seconds = ratio(total, target.clockHz);
    if (total > 0)
      report.inferencesPerSecond = ratio(target.clockHz, total);
    if (report.tokensOfRun && total > 0)
      report.tokensPerSecond = static_cast<double>(*report.tokensOfRun) *
                               ratio(target.clockHz, total);
  }
  for (ReportLayer &layer : report.layers) {
    layer.share = ratio(layer.cycles, total);
    if (target.clockHz > 0)
      layer.ms = 1000 * ratio(layer.cycles, target.clockHz);
  }
  for (const ModelError &error : modelErrorsOf(target))
    report.errors.push_back({std::string(error.work), error.median / 1000.0,
                             error.worstTenth / 1000.0});
}

std::string reportJson(const Report &report) {
  return llvm::formatv("{0:2}\n", toJSON(report));
}

Result<Report> readReport(llvm::StringRef text) {
  Result<json::Object> object = parseJsonObject(text);
  if (!object)
    return object.error();
  Report report;
  json::Path::Root root("report");
  // The error refers to names in the value.
  json::Value value = std::move(*object);
  if (!fromJSON(value, report, root))
    return Error{llvm::toString(root.getError())};
  return report;
}

} // namespace npu
