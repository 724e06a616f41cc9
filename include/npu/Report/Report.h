// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a compiled model: how long a run takes, as it is modelled, and
// which layers take it. docs/report.md describes its three files.

#ifndef NPU_REPORT_REPORT_H
#define NPU_REPORT_REPORT_H

#include "npu/Placement/Result.h"
#include "npu/Report/LayerRun.h"
#include "npu/Target/Target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// A layer of the model, and what follows from its cycles.
struct ReportLayer : LayerRun {
  /// Nothing where the device's clock is not known.
  std::optional<double> ms;
  /// Of the cycles of all layers, 0 to 1.
  double share = 0;
};

/// How far the model is from known cycles, for one kind of work: relative
/// errors.
struct ReportError {
  std::string work;
  double median = 0, worstTenth = 0;
};

struct Report {
  /// Why there is nothing to report; empty where there is.
  std::string refusal;
  /// The function, and the device that its run is modelled on.
  std::string entry, device;
  int64_t totalCycles = 0, clockHz = 0;
  /// Nothing where the clock is not known.
  std::optional<double> seconds, inferencesPerSecond;
  /// The tokens of one run of a model with caches, and how many come in a
  /// second; nothing for other models.
  std::optional<int64_t> tokensOfRun;
  std::optional<double> tokensPerSecond;
  /// All matrix or all vector work, whichever is larger, spread evenly over the
  /// tiles; and its share of the time, 0 to 1.
  int64_t computeBound = 0;
  double computeUtilisation = 0;
  /// Each argument, constant and result once, at full bandwidth.
  int64_t ddrBound = 0, ddrBytes = 0, ddrBytesBound = 0;
  /// The bytes that go from one machine to another; nothing on one machine.
  std::optional<int64_t> bytesBetweenMachines;
  /// The bytes that move in one direction beside those that DDR could move in
  /// the time, of the direction in which it has more to do, 0 to 1; nothing
  /// where its bandwidth or the clock is not known.
  std::optional<double> ddrUtilisation;
  int64_t computeWaiting = 0, transferWaiting = 0;
  /// The tile that uses most of its scratchpad.
  int64_t scratchpadTile = 0, scratchpadBytes = 0, scratchpadSize = 0;
  /// Operations that run on the host, and computations that lose their result
  /// in short floats.
  std::vector<std::string> hostIslands, precisionWarnings;
  /// Empty where nobody has compared the device with known cycles.
  std::vector<ReportError> errors;
  /// What else there is to be said of the figures.
  std::vector<std::string> notes;
  /// In the order of the program. Their cycles add up to `totalCycles`.
  std::vector<ReportLayer> layers;
};

/// Fills in what follows from cycles: times, rates and shares, and the known
/// errors of the target.
void complete(Report &report, const Target &target);

/// The content of report.json, and the report that it has. Errors say which
/// field is wrong.
std::string reportJson(const Report &report);
Result<Report> readReport(llvm::StringRef json);

/// The content of summary.txt, at most 80 columns wide.
std::string summaryOf(const Report &report);

/// The content of layers.csv: a row for each layer, quoted as RFC 4180 has it.
std::string layersCsv(const Report &report);

/// Nothing wrong as far as can be seen before anything is written: a directory
/// that is not there yet, or that takes the three files. Errors as of
/// writeReportFiles.
Result<> checkReportDirectory(const std::string &option,
                              const std::string &directory);

/// Writes the three files into a directory, which is made where it is not
/// there: all of them or none. Errors begin with the name of what cannot be
/// written; `option` is what the user calls the directory.
Result<> writeReportFiles(const Report &report, const std::string &option,
                          const std::string &directory);

} // namespace npu

#endif // NPU_REPORT_REPORT_H
