// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every way in which a run can differ from its placement report, each by
// itself: another device, never, too seldom, too often, and what no row stands
// for.

#include "Execution/Compare/CheckPlacement.h"

#include <gtest/gtest.h>

namespace npu {
namespace {

using Devices = std::set<std::optional<int64_t>>;

class CheckPlacementTest : public ::testing::Test {
protected:
  void row(std::optional<int64_t> tile, Executions executions = {}) {
    DeviceRow row;
    row.name = "linalg.exp";
    row.location = "m.mlir:" + std::to_string(table.rows.size());
    row.tile = tile;
    row.executions = executions;
    table.rows.push_back(row);
  }

  void site(std::optional<size_t> row, Devices devices, int64_t count) {
    ExecutionSite &site = record.sites.emplace_back();
    site.row = row;
    site.devices = std::move(devices);
    site.name = "linalg.fill";
    site.location = "m.mlir:9";
    site.count = count;
  }

  using Sentences = std::vector<std::string>;
  Sentences check(int64_t runs = 1) {
    return checkPlacement(table, record, runs);
  }

  DeviceTable table;
  ExecutionRecord record;
};

TEST_F(CheckPlacementTest, AsTheReportSays) {
  row(1);
  row(std::nullopt, {0, std::nullopt});
  row(2, {0, 1});
  site(0, {1}, 5);
  // A row with several sites ran as often as its busiest one.
  site(1, {std::nullopt}, 3);
  site(1, {std::nullopt}, 8);
  EXPECT_EQ(check(5), Sentences());
  EXPECT_EQ(table.rows[0].executed, 5);
  EXPECT_EQ(table.rows[1].executed, 8);
  EXPECT_EQ(table.rows[2].executed, 0);
}

TEST_F(CheckPlacementTest, OtherDevice) {
  row(1);
  row(std::nullopt);
  site(0, {std::nullopt}, 1);
  site(1, {std::nullopt, 4}, 1);
  EXPECT_EQ(check(),
            (Sentences{"row 0, 'linalg.exp' at m.mlir:0, device NPU.0 tile 1: "
                       "it was executed on CPU",
                       "row 1, 'linalg.exp' at m.mlir:1, device CPU: it was "
                       "executed on CPU and NPU.0 tile 4"}));
}

TEST_F(CheckPlacementTest, NeverTooSeldomTooOften) {
  row(0);
  row(0);
  row(0, {2, 4});
  site(1, {0}, 2);
  site(2, {0}, 13);
  std::string what = ", 'linalg.exp' at m.mlir:";
  EXPECT_EQ(check(3),
            (Sentences{"row 0" + what +
                           "0, device NPU.0 tile 0: it was never executed",
                       "row 1" + what +
                           "1, device NPU.0 tile 0: expected at "
                           "least 3 executions, got 2",
                       "row 2" + what +
                           "2, device NPU.0 tile 0: expected at "
                           "most 12 executions, got 13"}));
}

TEST_F(CheckPlacementTest, WithoutARow) {
  site(std::nullopt, {3}, 1);
  // What was not executed needs no row; a number beyond the table is none.
  site(std::nullopt, {2}, 0);
  site(7, {std::nullopt}, 1);
  EXPECT_EQ(check(), (Sentences{"'linalg.fill' at m.mlir:9 was executed on "
                                "NPU.0 tile 3, and no row of the report stands "
                                "for it",
                                "'linalg.fill' at m.mlir:9 was executed on "
                                "CPU, and no row of the report stands for "
                                "it"}));
}

} // namespace
} // namespace npu
