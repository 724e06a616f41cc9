// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CellGrid.h"

#include <algorithm>

namespace npu {
namespace {

bool isBefore(const Range &a, const Range &b) {
  return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
}

} // namespace

std::optional<CellGrid> CellGrid::of(const Placement &placement) {
  CellGrid grid;
  if (!grid.findRanges(placement) || !grid.findCells(placement))
    return std::nullopt;
  return grid;
}

/// Collects the ranges along each dimension. Returns whether they are disjoint,
/// and have no more combinations than there are tiles.
bool CellGrid::findRanges(const Placement &placement) {
  std::size_t rank = placement.shape.size(), combinations = 1;
  ranges = FixedVector<std::vector<Range>, kMaxRank>(rank);
  for (const TileBoxes &tile : placement.tiles) {
    if (tile.memory.isEmpty())
      continue;
    for (std::size_t dim = 0; dim < rank; ++dim)
      if (std::vector<Range> &found = ranges[dim];
          found.empty() || found.back() != tile.memory[dim])
        found.push_back(tile.memory[dim]);
  }
  for (std::size_t dim = 0; dim < rank; ++dim) {
    std::vector<Range> &found = ranges[dim];
    std::sort(found.begin(), found.end(), isBefore);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (std::size_t i = 1; i < found.size(); ++i)
      if (found[i].begin < found[i - 1].end)
        return false;
    combinations *= found.size();
    if (combinations > placement.tiles.size())
      return false;
  }
  strides = FixedVector<std::size_t, kMaxRank>(rank, 1);
  for (std::size_t dim = rank; dim-- > 1;)
    strides[dim - 1] = strides[dim] * ranges[dim].size();
  holders.assign(combinations, 0);
  return true;
}

/// Numbers the boxes. Returns whether every combination of ranges is one.
bool CellGrid::findCells(const Placement &placement) {
  cellOf.assign(placement.tiles.size(), kNone);
  // Along most dimensions, the range of a tile is that of the tile before.
  FixedVector<std::size_t, kMaxRank> places(rank(), 0);
  for (std::size_t tile = 0; tile < cellOf.size(); ++tile) {
    const Box &box = placement.tiles[tile].memory;
    if (box.isEmpty())
      continue;
    std::size_t cell = 0;
    for (std::size_t dim = 0; dim < rank(); ++dim) {
      const std::vector<Range> &along = ranges[dim];
      if (along[places[dim]] != box[dim])
        places[dim] =
            std::lower_bound(along.begin(), along.end(), box[dim], isBefore) -
            along.begin();
      cell += strides[dim] * places[dim];
    }
    cellOf[tile] = cell;
    ++holders[cell];
  }
  return std::find(holders.begin(), holders.end(), 0) == holders.end();
}

bool CellGrid::covers(const Extents &shape) const {
  for (std::size_t dim = 0; dim < rank(); ++dim) {
    int64_t end = 0;
    for (const Range &range : ranges[dim]) {
      if (range.begin != end)
        return false;
      end = range.end;
    }
    if (end != shape[dim])
      return false;
  }
  return true;
}

int64_t CellGrid::volume(std::size_t cell) const {
  int64_t product = 1;
  for (std::size_t dim = 0; dim < rank(); ++dim)
    product *= range(cell, dim).extent();
  return product;
}

int64_t CellGrid::mostHolders() const {
  return holders.empty() ? 0
                         : *std::max_element(holders.begin(), holders.end());
}

} // namespace npu
