// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a plan is certain to be found, without making it: an upper bound of
// the planner's work, compared with each of its limits.

#include "AssignSenders.h"
#include "Pieces.h"

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <algorithm>

namespace npu {
namespace {

/// The number of cells of the grid that the borders of all boxes form, at most
/// kMaxPlanPieces + 1.
int64_t countCells(std::span<const Placement *const> sides) {
  int64_t cells = 1;
  std::vector<int64_t> borders;
  for (std::size_t dim = 0; dim < sides[0]->shape.size(); ++dim) {
    borders.clear();
    for (const Placement *side : sides)
      for (const TileBoxes &tile : side->tiles) {
        borders.push_back(tile.memory[dim].begin);
        borders.push_back(tile.memory[dim].end);
      }
    std::sort(borders.begin(), borders.end());
    int64_t parts =
        std::unique(borders.begin(), borders.end()) - borders.begin() - 1;
    cells *= std::max<int64_t>(parts, 1);
    if (cells > kMaxPlanPieces)
      return kMaxPlanPieces + 1;
  }
  return cells;
}

/// At least as many cells as `countCells` gives, from the number of boxes
/// alone. `numBoxes` boxes have at most two borders each in a dimension, and no
/// two borders are less than one entry apart.
int64_t boundCells(const Extents &shape, int64_t numBoxes) {
  int64_t cells = 1;
  for (int64_t extent : shape) {
    cells *= std::max<int64_t>(std::min(extent, 2 * numBoxes - 1), 1);
    if (cells > kMaxPlanPieces)
      return kMaxPlanPieces + 1;
  }
  return cells;
}

} // namespace

bool isSurelyPlannable(std::span<const Placement *const> sides) {
  // The DDR is one more tile.
  int64_t boxes = 1;
  std::size_t most = 0;
  for (const Placement *side : sides) {
    boxes += static_cast<int64_t>(side->tiles.size());
    most = std::max(most, side->tiles.size());
  }
  auto tiles = static_cast<int64_t>(most);
  // The search divides space at borders only. So there is at most one piece in
  // each cell; the search visits fewer than twice as many regions as there are
  // cells, and compares each with at most all boxes; a piece has at most all
  // tiles as holders. Each piece has two sets of tiles.
  auto staysWithinLimits = [&](int64_t cells) {
    return cells <= kMaxPlanPieces && 2 * cells * boxes <= kMaxSteps &&
           (2 * cells + 1) * (tiles / 64 + 1) <=
               static_cast<int64_t>(kMaxSetWords) &&
           cells * tiles <= static_cast<int64_t>(kMaxEdges);
  };
  return staysWithinLimits(boundCells(sides[0]->shape, boxes - 1)) ||
         staysWithinLimits(countCells(sides));
}

} // namespace npu
