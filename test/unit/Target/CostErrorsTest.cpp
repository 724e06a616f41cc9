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

/// Rows of kernels of one operation, or of several.
std::vector<Row> kernelRows(const std::string &device, bool ofChains) {
  std::vector<Row> rows;
  for (const Row &row : rowsOf(device, "shave"))
    if (const Kernel *kernel = kernelOf(row)) {
      const VectorBody &body = kernel->body;
      bool isChain =
          body.reduce == 0 &&
          body.simple + body.special + body.sigmoid + body.divide > 1;
      if (isChain == ofChains)
        rows.push_back(row);
    }
  return rows;
}

struct Expected {
  std::string what;
  std::vector<Row> rows;
  int64_t (*cycles)(const CostFigures &, const Row &);
  size_t least;
  double median, p90;
};

class DeviceErrors : public testing::TestWithParam<const char *> {
protected:
  void expectWithin(const Expected &expected) {
    const CostFigures &figures = costFiguresOf(GetParam());
    std::vector<double> errors;
    for (const Row &row : expected.rows) {
      double known = knownCycles(figures, row);
      double modelled = double(expected.cycles(figures, row));
      errors.push_back(std::abs(modelled - known) / known);
    }
    ASSERT_GE(errors.size(), expected.least) << expected.what;
    std::ranges::sort(errors);
    EXPECT_LE(errors[errors.size() / 2], expected.median) << expected.what;
    EXPECT_LE(errors[errors.size() * 9 / 10], expected.p90) << expected.what;
  }
};

} // namespace

TEST_P(DeviceErrors, WithinBounds) {
  const std::string device = GetParam();
  auto engine = [&](const char *op, size_t least, double median, double p90) {
    expectWithin(
        {op, rowsOf(device, "dpu", op), engineCycles, least, median, p90});
  };
  engine("CONVOLUTION", 80, 0.08, 0.30);
  engine("ELTWISE", 24, 0.08, 0.25);
  engine("DW_CONVOLUTION", 24, 0.12, 0.40);
  engine("MAXPOOL", 24, 0.20, 0.50);
  expectWithin(
      {"transfers", rowsOf(device, "dma_hw"), moveCycles, 45, 0.08, 0.30});
  expectWithin({"kernels", kernelRows(device, /*ofChains=*/false), kernelCycles,
                50, 0.12, 0.60});
}

// Kernels of several operations, each of which loads and stores an element
// once.
TEST(CostErrors, Chains) {
  std::vector<double> errors;
  const CostFigures &figures = costFiguresOf("npu4000");
  for (const Row &row : kernelRows("npu4000", /*ofChains=*/true)) {
    double known = row.number("cycles");
    errors.push_back(std::abs(kernelCycles(figures, row) - known) / known);
  }
  ASSERT_GE(errors.size(), size_t{60});
  std::ranges::sort(errors);
  EXPECT_LE(errors[errors.size() / 2], 0.20);
  EXPECT_LE(errors[errors.size() * 9 / 10], 0.45);
}

// Emulated kernels of two operands begin at once and take what their loads and
// stores take.
TEST_P(DeviceErrors, LoadsAndStores) {
  double rate = double(costFiguresOf(GetParam()).vectorMoveRate) / 1000;
  size_t rows = 0;
  for (const Row &row : rowsOf(GetParam(), "shave"))
    if (!kernelOf(row)) {
      double known = row.number("cycles");
      EXPECT_NEAR(3 * row.number("elements") / rate, known, 0.1 * known);
      ++rows;
    }
  EXPECT_GE(rows, size_t{6});
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceErrors,
                         testing::Values("npu3720", "npu4000"));
