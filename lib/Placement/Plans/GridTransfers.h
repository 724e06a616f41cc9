// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfers between two grids, where each box that is sent is on one tile:
// nobody has to be chosen, so that each transfer follows from the one before.

#ifndef NPU_LIB_PLACEMENT_PLANS_GRIDTRANSFERS_H
#define NPU_LIB_PLACEMENT_PLANS_GRIDTRANSFERS_H

#include "CellGrid.h"

#include "npu/Placement/Plans/RedistributionPlan.h"

namespace npu {

/// The grid of a placement, if it is one that covers the tensor.
std::optional<CellGrid> coveringGrid(const Placement &placement);

/// Whether each box of the real part is a box among the padding as well: no
/// padding stands between real entries.
bool keepsBoxes(std::span<const PaddedRange> padding, const Extents &shape);

/// A sender has one box, of which each part that a box of the other side
/// overlaps goes to all tiles of that box, but to itself: to the tiles of each
/// machine by one transfer. Example: 8x8 from two tiles by rows to the same by
/// columns are two transfers, of 4x4.
class GridTransfers {
public:
  /// Both grids are of the real part. Precondition: they cover one shape, each
  /// cell of `source` is on one tile, and `keepsBoxes(padding, shape)`.
  GridTransfers(CellGrid source, CellGrid target,
                std::span<const PaddedRange> padding, Machines machines);

  /// Nothing where the preconditions do not hold. The placements are real
  /// parts.
  static std::optional<GridTransfers>
  between(const Placement &source, const Placement &target,
          std::span<const PaddedRange> padding, Machines machines);

  /// How many there are, found in time linear in tiles.
  std::size_t count() const { return total; }

private:
  friend class GridWalk;

  /// Ranges of the other side, by number.
  struct Run {
    std::size_t begin = 0, end = 0;
  };

  std::span<const int> receiversOf(std::size_t cell) const {
    return std::span(receivers).subspan(
        receiverBegin[cell], receiverBegin[cell + 1] - receiverBegin[cell]);
  }
  void findRuns();
  void findReceivers();
  void countAll();
  int64_t countMachines(std::span<const int> tiles) const;
  bool isAloneOnMachine(int tile, std::span<const int> tiles) const;

  CellGrid source, target;
  Machines machines;
  /// The length of the padding before the real entries along each dimension.
  Extents shift;
  /// Along each dimension, for each range of the source those of the target
  /// that overlap it.
  FixedVector<std::vector<Run>, kMaxRank> runs;
  /// The tiles of each cell of the target, in increasing order.
  std::vector<int> receivers;
  std::vector<std::size_t> receiverBegin;
  std::size_t total = 0;
};

/// Goes through these transfers in the order of a plan.
class GridWalk {
public:
  explicit GridWalk(const GridTransfers &grids);

  /// Finds the first transfer, and from then on the next. Precondition: there
  /// is one.
  void next();
  const Transfer &current() const { return transfer; }

private:
  bool nextReceivers();
  bool nextCell();
  void nextSender();
  void enter(std::size_t dim);
  void enterCell();

  const GridTransfers &grids;
  Transfer transfer;
  /// The box of the sender, and the ranges along each dimension of the box that
  /// it goes to.
  std::size_t held = 0;
  FixedVector<GridTransfers::Run, kMaxRank> runs;
  FixedVector<std::size_t, kMaxRank> places;
  std::span<const int> receivers;
};

} // namespace npu

#endif // NPU_LIB_PLACEMENT_PLANS_GRIDTRANSFERS_H
