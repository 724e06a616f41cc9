// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to bring a tensor from one layout to another.

#include "CostsFixture.h"

#include <limits>

using namespace mlir;

namespace npu {
namespace {

class MovementCostsTest : public CostsFixture {
protected:
  MovementCostsTest() {
    context.loadDialect<NPUDialect>();
    target.dmaPorts = 2;
  }

  ModelledCost movement(const std::string &from, const std::string &to,
                        std::span<const PaddedRange> padding = {}) {
    return movementCost(type(from), type(to), padding, target);
  }

  int64_t cycles(Direction direction, int64_t bytes) const {
    return transferCycles(figures, direction, bytes);
  }

  static std::string layout(const std::string &text) {
    return "tensor<64x48xf16, #npu.layout<" + text + ">>";
  }

  const std::string ddr = "tensor<64x48xf16>";
  const std::string rows = layout("SEGMENTED, tiles = [2, 1]");
  const std::string columns = layout("SEGMENTED, tiles = [1, 2]");
  const std::string all = layout("DUPLICATED, tiles = 2");
};

TEST_F(MovementCostsTest, NothingMoves) {
  EXPECT_EQ(movement(ddr, ddr), ModelledCost());
  EXPECT_EQ(movement(rows, rows), ModelledCost());
  // What is wanted lies inside of what there is.
  EXPECT_EQ(movement(all, rows), ModelledCost());
  EXPECT_EQ(movement(rows, layout("OVERLAPPED, tiles = [2, 1]")),
            ModelledCost());
}

// Each tile is sent half of what it has: 32 x 24 elements.
TEST_F(MovementCostsTest, RowsToColumns) {
  EXPECT_EQ(movement(rows, columns),
            (ModelledCost{cycles(Direction::TileToTile, 1536), 0, 3072}));
}

TEST_F(MovementCostsTest, LoadsAndStores) {
  int64_t half = 64 * 48;
  // One load for both tiles, on one port. DDR reads what it has once.
  EXPECT_EQ(movement(ddr, all),
            (ModelledCost{cycles(Direction::DdrToTile, 2 * half), 0, 2 * half,
                          2 * half}));
  // Each of two ports moves a half, and DDR gives enough for both.
  EXPECT_EQ(movement(ddr, rows),
            (ModelledCost{cycles(Direction::DdrToTile, half), 0, 2 * half,
                          2 * half}));
  // Where it gives no more than one port moves, they share that.
  target.ddrBytesPerSecond = 1;
  EXPECT_EQ(movement(ddr, rows),
            (ModelledCost{cycles(Direction::DdrToTile, 2 * half), 0, 2 * half,
                          2 * half}));
  target.clockHz = 0;
  EXPECT_EQ(movement(ddr, rows),
            (ModelledCost{cycles(Direction::DdrToTile, half), 0, 2 * half,
                          2 * half}));
  target.dmaPorts = 1;
  EXPECT_EQ(movement(ddr, rows),
            (ModelledCost{2 * cycles(Direction::DdrToTile, half), 0, 2 * half,
                          2 * half}));
  EXPECT_EQ(movement(rows, ddr),
            (ModelledCost{2 * cycles(Direction::TileToDdr, half), 0, 2 * half,
                          2 * half}));
}

// Tile 0 has rows 0:32 and needs 0:33; tile 1 has 32:64 and needs 31:64.
TEST_F(MovementCostsTest, Halo) {
  std::string halo = layout("OVERLAPPED, compute = [[0:32, 0:48], [32:64, "
                            "0:48]], memory = [[0:33, 0:48], [31:64, 0:48]]");
  EXPECT_EQ(movement(rows, halo),
            (ModelledCost{cycles(Direction::TileToTile, 96), 0, 192}));
}

// Padding does not move: of 64 rows 40 are real, and 8 of them on tile 1.
TEST_F(MovementCostsTest, Padding) {
  PaddedRange padding[] = {{0, {40, 64}}};
  EXPECT_EQ(movement(rows, all, padding),
            (ModelledCost{cycles(Direction::TileToTile, 32 * 96), 0, 40 * 96}));
}

// The boxes are the same, and rows and columns change places inside of them.
TEST_F(MovementCostsTest, Relayout) {
  std::string other = layout("SEGMENTED, tiles = [2, 1], order = [1, 0]");
  int64_t relaying = vector({}, 32 * 48);
  EXPECT_EQ(movement(rows, other), (ModelledCost{relaying, 0, 0, 0, relaying}));
  EXPECT_EQ(movement(columns, other),
            (ModelledCost{cycles(Direction::TileToTile, 1536) + relaying, 0,
                          3072, 0, relaying}));
  // The ports do it on the way.
  EXPECT_EQ(movement(ddr, other),
            (ModelledCost{cycles(Direction::DdrToTile, 3072), 0, 6144, 6144}));
  EXPECT_EQ(
      movement(ddr, layout("order = [1, 0]")),
      (ModelledCost{cycles(Direction::DdrToDdr, 6144), 0, 6144, 2 * 6144}));
  EXPECT_EQ(movement("tensor<1x48xf16>",
                     "tensor<1x48xf16, #npu.layout<order = [1, 0]>>"),
            ModelledCost());
}

// The busiest tile is that which waits longest.
TEST_F(MovementCostsTest, BusiestTile) {
  std::string last =
      layout("OVERLAPPED, compute = [[0:0, 0:48], [0:64, 0:48]]");
  ModelledCost cost = movement(ddr, last);
  EXPECT_EQ(cost.tile, 1);
  EXPECT_EQ(cost.bytes, 6144);
}

} // namespace
} // namespace npu
