// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every transfer costs a descriptor and a start-up time. A plan must not fall
// apart into more of them than the borders of the boxes and the balance of the
// senders ask for, and no two of them may be one.

#include "Elements.h"
#include "RandomPlacements.h"
#include "npu/Placement/RedistributionPlan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace npu {
namespace {

/// Cells between all borders of all boxes, that some tile misses.
std::size_t countCells(const Placement &source, const Placement &target) {
  const Extents &shape = source.shape;
  std::vector<std::set<int64_t>> borders(shape.size());
  for (const Placement *placement : {&source, &target})
    for (const TileBoxes &boxes : placement->tiles)
      for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        borders[dim].insert(boxes.memory[dim].begin);
        borders[dim].insert(boxes.memory[dim].end);
      }
  std::vector<bool> missing(elementCount(shape));
  for (std::size_t tile = 0; tile < target.tiles.size(); ++tile) {
    Elements held = elementsOf(source.memoryOf(tile), shape);
    Elements wanted = elementsOf(target.memoryOf(tile), shape);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      missing[i] = missing[i] || (wanted[i] && !held[i]);
  }
  std::set<std::vector<int64_t>> cells;
  forEachElement(shape, [&](std::size_t number, const Extents &index) {
    if (!missing[number])
      return;
    std::vector<int64_t> cell;
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      cell.push_back(*std::prev(borders[dim].upper_bound(index[dim])));
    cells.insert(cell);
  });
  return cells.size();
}

void expectFew(const std::vector<Transfer> &transfers, std::size_t cells,
               std::size_t tiles) {
  EXPECT_LE(transfers.size(), cells + tiles);
  for (const Transfer &a : transfers)
    for (const Transfer &b : transfers)
      if (&a != &b && a.from == b.from && a.to == b.to)
        EXPECT_FALSE(joined(a.box, b.box))
            << toString(a.box) << " and " << toString(b.box);
}

TEST(TransferCount, NoTwoCouldBeOneAndThereAreFew) {
  RandomPlacements random(1);
  for (int round = 0; round < 4000 && !testing::Test::HasFailure(); ++round) {
    Extents shape = random.shape();
    Placement source = random.placement(shape);
    Placement target = random.placement(shape);
    std::size_t tiles = std::max(source.tiles.size(), target.tiles.size());
    expectFew(planRedistribution(source, target)->transfers,
              countCells(source, target), tiles);
    // A load is a redistribution from tiles that hold nothing.
    Placement nothing = target;
    for (TileBoxes &boxes : nothing.tiles)
      boxes.memory = Box(shape.size());
    std::size_t cells = countCells(nothing, target);
    expectFew(planLoad(target)->transfers, cells, 0);
    cells = countCells(nothing, source);
    Placement empty = source;
    for (TileBoxes &boxes : empty.tiles)
      boxes.memory = Box(shape.size());
    expectFew(planStore(source)->transfers, countCells(empty, source),
              source.tiles.size());
  }
}

Distribution split(Extents tiles, Mode mode = Mode::Segmented) {
  Distribution result;
  result.mode = mode;
  result.tiles = tiles;
  return result;
}

std::size_t transfersOf(const Distribution &from, const Distribution &to,
                        const Extents &shape) {
  return planRedistribution(*place(from, shape), *place(to, shape))
      ->transfers.size();
}

TEST(TransferCount, NumbersThatCanBeCountedByHand) {
  Extents shape{28, 128, 64};
  Distribution whole;
  whole.mode = Mode::Duplicated;
  for (int64_t tiles : {2, 3, 4, 6}) {
    whole.tileCount = tiles;
    Distribution heads = split({tiles, 1, 1}), rows = split({1, tiles, 1});
    // Every tile to every other; one multicast per tile; every neighbour.
    EXPECT_EQ(transfersOf(heads, rows, shape),
              std::size_t(tiles * (tiles - 1)));
    EXPECT_EQ(transfersOf(heads, whole, shape), std::size_t(tiles));
    Distribution halo = split({1, tiles, 1}, Mode::Overlapped);
    halo.windows = {{1, 3, 1, 1, 1, 1}};
    EXPECT_EQ(transfersOf(rows, halo, shape), std::size_t(2 * (tiles - 1)));
    EXPECT_EQ(transfersOf(whole, heads, shape), 0u);
    EXPECT_EQ(planLoad(*place(heads, shape))->transfers.size(),
              std::size_t(tiles));
    EXPECT_EQ(planLoad(*place(whole, shape))->transfers.size(), 1u);
    EXPECT_EQ(planStore(*place(heads, shape))->transfers.size(),
              std::size_t(tiles));
    EXPECT_EQ(planStore(*place(whole, shape))->transfers.size(),
              std::size_t(tiles));
  }
}

} // namespace
} // namespace npu
