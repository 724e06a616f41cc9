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
/// kMaxListed + 1.
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
    if (cells > kMaxListed)
      return kMaxListed + 1;
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
    if (cells > kMaxListed)
      return kMaxListed + 1;
  }
  return cells;
}

/// The numbers of a planning task that its limits are about, beside its cells.
struct Size {
  /// All boxes of all sides.
  int64_t boxes = 0;
  /// The tiles of the side that has the most.
  int64_t tiles = 0;
  /// As many pieces as a cell may become: one for each machine.
  int64_t piecesOfCell = 1;
  /// The sets of a piece, and of a piece's holders all that its parts have:
  /// those of their own machines, and all of them for other machines.
  int64_t setsOfPiece = 2, holdersOfPiece = 1;

  Size(std::span<const Placement *const> sides, Machines machines) {
    for (const Placement *side : sides) {
      auto number = static_cast<int64_t>(side->tiles.size());
      boxes += number;
      tiles = std::max(tiles, number);
    }
    if (!machines.areSeveral())
      return;
    piecesOfCell = std::max<int64_t>(machines.of(tiles - 1), 0) + 1;
    setsOfPiece = 4;
    holdersOfPiece = 2;
  }

  /// The search divides space at borders only. So there is at most one piece in
  /// each cell; the search visits fewer than twice as many regions as there are
  /// cells, and compares each with at most all boxes, where the DDR is one
  /// more; a piece has at most all tiles as holders. Each piece has two sets of
  /// tiles.
  bool staysWithinLimits(int64_t cells) const {
    int64_t pieces = cells * piecesOfCell;
    return pieces <= kMaxListed && 2 * cells * (boxes + 1) <= kMaxSteps &&
           (setsOfPiece * pieces + 1) * (tiles / 64 + 1) <=
               static_cast<int64_t>(kMaxSetWords) &&
           cells * tiles * holdersOfPiece <= static_cast<int64_t>(kMaxEdges);
  }
};

} // namespace

bool hasFewBoxes(std::span<const Placement *const> sides, Machines machines) {
  Size size(sides, machines);
  return size.staysWithinLimits(boundCells(sides[0]->shape, size.boxes));
}

bool isSurelyPlannable(std::span<const Placement *const> sides,
                       Machines machines) {
  return hasFewBoxes(sides, machines) ||
         Size(sides, machines).staysWithinLimits(countCells(sides));
}

} // namespace npu
