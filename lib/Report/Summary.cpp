// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// summary.txt: what most people ask first, on one screen.

#include "npu/Report/Report.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

constexpr size_t kColumns = 80, kIndent = 13;

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

/// As many characters as fit, with a mark of what is left out. Names may have
/// any characters: those that move a terminal's cursor are blanks.
std::string shortened(std::string text, size_t columns) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' ' || letter == 127; },
      ' ');
  if (text.size() <= columns)
    return text;
  size_t end = columns - 3;
  // No part of a character of several bytes.
  while (end > 0 && (text[end] & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

class Summary {
public:
  explicit Summary(const Report &report) : report(report) {}

  std::string text() {
    std::string device = ", modelled on " + report.device;
    out = shortened("@" + report.entry,
                    kColumns - std::min(device.size(), kColumns / 2)) +
          shortened(device, kColumns / 2) + "\n";
    line("time", timeText());
    if (report.tokensPerSecond)
      line("tokens", fmt::format("{:.1f} per second, {} for each run",
                                 *report.tokensPerSecond, *report.tokensOfRun));
    line("compute", percent(report.computeUtilisation) +
                        " utilisation; the busiest tile waits " +
                        percent(shareOf(report.computeWaiting)));
    line("DDR", ddrText());
    if (report.bytesBetweenMachines)
      line("machines", fmt::format("{} bytes from one to another",
                                   *report.bytesBetweenMachines));
    line("scratchpad",
         fmt::format("{} of {} bytes, {} (tile {})", report.scratchpadBytes,
                     report.scratchpadSize, percent(scratchpadShare()),
                     report.scratchpadTile));
    list("host", report.hostIslands, "no operation falls back to it",
         "1 operation falls back to it", "operations fall back to it");
    list("precision", report.precisionWarnings, "no warning", "1 warning",
         "warnings");
    line("accuracy", accuracyText());
    for (const std::string &note : report.notes)
      line("note", note);
    addSlowest();
    return std::move(out);
  }

private:
  double shareOf(int64_t cycles) const {
    return report.totalCycles == 0
               ? 0
               : static_cast<double>(cycles) /
                     static_cast<double>(report.totalCycles);
  }

  double scratchpadShare() const {
    return report.scratchpadSize == 0
               ? 0
               : static_cast<double>(report.scratchpadBytes) /
                     static_cast<double>(report.scratchpadSize);
  }

  std::string timeText() const {
    if (!report.seconds)
      return fmt::format("{} cycles of a clock that is not known",
                         report.totalCycles);
    std::string rate = report.inferencesPerSecond
                           ? fmt::format(", {:.1f} inferences per second",
                                         *report.inferencesPerSecond)
                           : "";
    return fmt::format("{:.3f} ms{}; {} cycles at {} MHz",
                       1000 * *report.seconds, rate, report.totalCycles,
                       report.clockHz / 1000000);
  }

  std::string ddrText() const {
    std::string text = report.ddrUtilisation
                           ? percent(*report.ddrUtilisation) + " utilisation; "
                           : "";
    text += fmt::format("{} bytes, at least {}", report.ddrBytes,
                        report.ddrBytesBound);
    if (report.ddrBytesBound > 0)
      text += fmt::format(": {:.2f} times",
                          static_cast<double>(report.ddrBytes) /
                              static_cast<double>(report.ddrBytesBound));
    return text;
  }

  std::string accuracyText() const {
    if (report.errors.empty())
      return "not known: nobody has compared this device's figures with known "
             "cycles";
    std::string text = "off known cycles by % (median/worst tenth):";
    for (const ReportError &error : report.errors)
      text += fmt::format(" {} {:.1f}/{:.1f}{}", error.work, 100 * error.median,
                          100 * error.worstTenth,
                          &error == &report.errors.back() ? "" : ";");
    return text;
  }

  /// A line, and as many more as it takes.
  void line(const std::string &what, const std::string &text) {
    out += fmt::format("  {:<{}}", what, kIndent - 2);
    size_t column = kIndent;
    size_t begin = 0;
    while (begin < text.size()) {
      size_t end = std::min(text.find(' ', begin), text.size());
      if (column > kIndent && column + 1 + end - begin > kColumns) {
        out += "\n" + std::string(kIndent, ' ');
        column = kIndent;
      } else if (column > kIndent) {
        out += " ";
        ++column;
      }
      out += text.substr(begin, end - begin);
      column += end - begin;
      begin = end + 1;
    }
    out += "\n";
  }

  /// How many there are, and the first of them.
  void list(const std::string &what, const std::vector<std::string> &all,
            const char *none, const char *one, const char *several) {
    line(what, all.empty()       ? none
               : all.size() == 1 ? one
                                 : fmt::format("{} {}", all.size(), several));
    constexpr size_t most = 3;
    for (size_t i = 0; i < std::min(all.size(), most); ++i)
      out += std::string(kIndent, ' ') + shortened(all[i], kColumns - kIndent) +
             "\n";
  }

  void addSlowest() {
    std::vector<const ReportLayer *> layers;
    for (const ReportLayer &layer : report.layers)
      layers.push_back(&layer);
    // Equal ones in the order of the program.
    llvm::sort(layers, [](const ReportLayer *a, const ReportLayer *b) {
      return std::pair(-a->cycles, a) < std::pair(-b->cycles, b);
    });
    constexpr size_t most = 5;
    out += fmt::format("  slowest of {} layers\n", layers.size());
    out += "          cycles        ms    share  layer\n";
    for (const ReportLayer *layer : llvm::ArrayRef(layers).take_front(most)) {
      std::string ms = layer->ms ? fmt::format("{:.3f}", *layer->ms) : "-";
      std::string figures = fmt::format(
          "  {:>14}  {:>8}  {:>7}  ", layer->cycles, ms, percent(layer->share));
      out += figures +
             shortened(layer->name + " (" + layer->kind + ")",
                       kColumns - std::min(figures.size(), kColumns / 2)) +
             "\n";
    }
  }

  const Report &report;
  std::string out;
};

} // namespace

std::string summaryOf(const Report &report) { return Summary(report).text(); }

} // namespace npu
