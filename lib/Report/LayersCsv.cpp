// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Report/Report.h"

#include <fmt/format.h>

namespace npu {

/// A cell: between quotes where it has a separator, and its quotes twice.
static std::string cell(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char letter : text)
    quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

/// An empty cell for what is not known. Every digit counts, so that times are
/// cycles through the clock.
static std::string cell(const std::optional<double> &number) {
  return number ? fmt::format("{}", *number) : "";
}

std::string layersCsv(const Report &report) {
  std::string text = "name,kind,tiles,cycles,ms,share,macs,utilisation,"
                     "ddr_bytes,waiting\r\n";
  for (const ReportLayer &layer : report.layers)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\r\n", cell(layer.name),
                        cell(layer.kind), layer.tiles, layer.cycles,
                        cell(layer.ms), layer.share, layer.macs,
                        cell(layer.utilisation), layer.ddrBytes, layer.waiting);
  return text;
}

} // namespace npu
