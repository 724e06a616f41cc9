// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planning must grow with what it finds, from 4 to 4,096 tiles. Time depends on
// the machine; how often boxes are compared does not, and comparing all pairs
// would show here.

#include "../../../lib/Placement/Plans/Pieces.h"

#include "Layouts.h"
#include "npu/Placement/Distributions/Placement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace npu {
namespace {

struct Growth {
  int64_t found;
  int64_t comparisons;
};

/// Counts the boxes that are given and the pieces that are found, and the
/// comparisons that this takes.
Growth search(const Distribution &from, const Distribution &to) {
  Extents shape{16389, 16389};
  Placement source = *place(from, shape), target = *place(to, shape);
  TileSets sets;
  PieceSearch search(sets, std::max(source.tiles.size(), target.tiles.size()));
  for (std::size_t tile = 0; tile < source.tiles.size(); ++tile)
    search.addHolder(static_cast<int>(tile), source.tiles[tile].memory);
  for (std::size_t tile = 0; tile < target.tiles.size(); ++tile)
    search.addReceiver(static_cast<int>(tile), target.tiles[tile].memory);
  auto boxes = static_cast<int64_t>(source.tiles.size() + target.tiles.size());
  auto pieces = static_cast<int64_t>(search.run()->size());
  return {boxes + pieces, search.comparisons()};
}

/// Space is halved until a region has no border inside, and each box meets two
/// regions of every size at most: two comparisons for each box or piece and
/// each time that the number of tiles can be halved.
void expectLinear(const Distribution &from, const Distribution &to,
                  int64_t tiles) {
  Growth growth = search(from, to);
  EXPECT_LE(growth.comparisons,
            2 * growth.found * (std::log2(static_cast<double>(tiles)) + 1))
      << tiles << " tiles, " << growth.found << " boxes and pieces";
}

const int64_t kTiles[] = {4, 8, 64, 512, 4096};

TEST(PlanGrowth, Halo) {
  for (int64_t tiles : kTiles)
    expectLinear(split({tiles, 1}), halo(split({tiles, 1})), tiles);
}

TEST(PlanGrowth, BalancedToCeil) {
  for (int64_t tiles : kTiles)
    expectLinear(split({tiles, 1}), ceil(split({tiles, 1})), tiles);
}

TEST(PlanGrowth, InsideOfMachines) {
  for (int64_t tiles : kTiles)
    expectLinear(split({tiles / 4, 4}), split({tiles, 1}), tiles);
}

TEST(PlanGrowth, GridToItsTranspose) {
  for (int64_t tiles : kTiles) {
    int64_t side = 1;
    while (4 * side * side < tiles)
      side *= 2;
    expectLinear(split({side, tiles / side}), split({tiles / side, side}),
                 tiles);
  }
}

TEST(PlanGrowth, CopiesToRows) {
  for (int64_t tiles : kTiles)
    expectLinear(split({1, 4}, tiles / 4), split({tiles, 1}), tiles);
}

TEST(PlanGrowth, RowsToColumns) {
  for (int64_t tiles : {4, 8, 64, 512})
    expectLinear(split({tiles, 1}), split({1, tiles}), tiles);
}

} // namespace
} // namespace npu
