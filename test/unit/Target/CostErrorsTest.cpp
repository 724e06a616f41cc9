// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the modelled cycles are from known ones, on a part of the rows that
// the figures were fitted to. Bounds are relative errors, as docs/devices.md
// has them for all rows.

#include "npu/Target/Costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <vector>

using namespace npu;

namespace {

/// One line of the rows: a flat JSON object.
class Row {
public:
  explicit Row(std::string line) : line(std::move(line)) {}

  std::string text(std::string_view key) const {
    size_t begin = after(key);
    if (begin == std::string::npos)
      return {};
    return line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
  }

  int64_t number(std::string_view key) const {
    int64_t value = 0;
    if (size_t begin = after(key); begin != std::string::npos)
      std::from_chars(line.data() + begin, line.data() + line.size(), value);
    return value;
  }

private:
  size_t after(std::string_view key) const {
    std::string quoted = "\"" + std::string(key) + "\": ";
    size_t found = line.find(quoted);
    return found == std::string::npos ? found : found + quoted.size();
  }

  std::string line;
};

std::vector<Row> rowsOf(const std::string &device, const std::string &kind,
                        const std::string &op = {}) {
  std::ifstream file(NPU_TEST_DATA_DIR "/costs.jsonl");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);)
    if (Row row(line); row.text("device") == device &&
                       row.text("kind") == kind &&
                       (op.empty() || row.text("op") == op))
      rows.push_back(row);
  return rows;
}

int64_t engineCycles(const CostFigures &figures, const Row &row) {
  int64_t bits = row.text("dtype") == "i8" ? 8 : 16;
  int64_t pixels = row.number("OW") * row.number("OH");
  int64_t window = row.number("k") * row.number("k");
  std::string op = row.text("op");
  if (op == "CONVOLUTION")
    return contractionCycles(
        figures, {pixels, row.number("IC"), row.number("OC"), bits, window});
  if (op == "ELTWISE")
    return elementwiseCycles(figures, pixels, row.number("OC"), bits);
  WindowPart part{pixels, row.number("W") * row.number("H"), row.number("OC"),
                  window, bits};
  return op == "MAXPOOL" ? poolingCycles(figures, part)
                         : depthwiseCycles(figures, part);
}

/// Known cycles, raised to what the engine cannot beat: some rows of the
/// vendor's model lie below.
double knownCycles(const CostFigures &figures, const Row &row) {
  double cycles = row.number("cycles");
  if (row.text("op") != "CONVOLUTION")
    return cycles;
  int64_t peak =
      (row.text("dtype") == "i8" ? figures.i8 : figures.f16).macsPerCycle;
  return std::max(cycles, double(row.number("macs")) / double(peak));
}

int64_t copyCycles(const CostFigures &figures, const Row &row) {
  std::string direction = row.text("dir");
  Direction way = direction == "DDR2CMX"   ? Direction::DdrToTile
                  : direction == "CMX2DDR" ? Direction::TileToDdr
                  : direction == "CMX2CMX" ? Direction::TileToTile
                                           : Direction::DdrToDdr;
  return transferCycles(figures, way, row.number("bytes"));
}

int64_t kernelCycles(const CostFigures &figures, const Row &row) {
  std::string op = row.text("op");
  VectorBody body;
  if (op == "exp" || op == "log" || op == "sqrt")
    body.special = 1;
  else if (op == "sigmoid" || op == "tanh")
    body.sigmoid = 1;
  else if (op == "swish")
    body.divide = 1;
  else if (op.starts_with("MVN"))
    body.reduce = 1;
  else
    body.simple = 1;
  return vectorCycles(figures, body, row.number("elements"), 16);
}

struct Expected {
  std::string kind, op;
  int64_t (*cycles)(const CostFigures &, const Row &);
  size_t rows;
  double median, p90;
};

class CostErrors : public testing::TestWithParam<const char *> {};

} // namespace

TEST_P(CostErrors, WithinBounds) {
  const CostFigures &figures = costFiguresOf(GetParam());
  for (const Expected &expected :
       {Expected{"dpu", "CONVOLUTION", engineCycles, 80, 0.08, 0.30},
        Expected{"dma_hw", "", copyCycles, 45, 0.08, 0.30},
        Expected{"dpu", "ELTWISE", engineCycles, 24, 0.08, 0.25},
        Expected{"dpu", "DW_CONVOLUTION", engineCycles, 24, 0.12, 0.40},
        Expected{"dpu", "MAXPOOL", engineCycles, 24, 0.20, 0.50},
        Expected{"shave", "", kernelCycles, 50, 0.12, 0.60}}) {
    std::vector<double> errors;
    for (const Row &row : rowsOf(GetParam(), expected.kind, expected.op)) {
      double known = knownCycles(figures, row);
      double modelled = double(expected.cycles(figures, row));
      errors.push_back(std::abs(modelled - known) / known);
    }
    ASSERT_GE(errors.size(), expected.rows) << expected.kind;
    std::ranges::sort(errors);
    EXPECT_LE(errors[errors.size() / 2], expected.median)
        << expected.kind << " " << expected.op;
    EXPECT_LE(errors[errors.size() * 9 / 10], expected.p90)
        << expected.kind << " " << expected.op;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CostErrors,
                         testing::Values("npu3720", "npu4000"));
