// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the modelled cycles are from known ones, on a part of the rows that
// the figures were fitted to. Bounds are relative errors, as docs/devices.md
// has them for all rows.

#include "CostRows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace npu;

namespace {

std::vector<Row> rowsOf(const std::string &device, const std::string &kind,
                        const std::string &op = {}) {
  std::vector<Row> rows;
  for (const Row &row : readRows(NPU_TEST_DATA_DIR "/costs.jsonl"))
    if (row.text("device") == device && row.text("kind") == kind &&
        (op.empty() || row.text("op") == op))
      rows.push_back(row);
  return rows;
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
