// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Ways/LoopSplits.h"
#include "npu/Placement/Distributions/Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// From this number of tiles on, not every grid is tried.
constexpr int64_t manyTiles = 8;
/// The most loops that reduce of which each is split.
constexpr size_t mostReductionLoops = 2;

/// Loops of more than one iteration, those that reduce or the others.
SmallVector<unsigned> splittableLoops(const OpAccess &access,
                                      bool thatReduce = false) {
  SmallVector<unsigned> loops;
  IterationDomain all = access.domain();
  for (unsigned loop = 0; loop < all.loops.size(); ++loop)
    if (all.loops[loop].extent() > 1 &&
        llvm::is_contained(access.reductions(), loop) == thatReduce)
      loops.push_back(loop);
  return loops;
}

/// The iterations where each of `loops` is split over as many tiles as
/// `counts` says, the last one fastest.
TileIterations split(const OpAccess &access, ArrayRef<unsigned> loops,
                     ArrayRef<int64_t> counts) {
  IterationDomain all = access.domain();
  TileIterations iterations(1, all);
  for (auto [loop, count] : llvm::zip_equal(loops, counts)) {
    std::vector<Range> ranges =
        splitExtent(all.loops[loop].extent(), count, Split::Balanced);
    TileIterations finer;
    for (const IterationDomain &coarse : iterations)
      for (Range range : ranges) {
        IterationDomain part = coarse;
        part.loops[loop] = range;
        part.empty |= range.isEmpty();
        finer.push_back(part);
      }
    iterations = std::move(finer);
  }
  return iterations;
}

/// The pairs of factors, both above 1, whose product is `tiles`.
SmallVector<std::pair<int64_t, int64_t>> gridsOf(int64_t tiles) {
  SmallVector<std::pair<int64_t, int64_t>> grids;
  for (int64_t rows = 2; rows * 2 <= tiles; ++rows)
    if (tiles % rows == 0)
      grids.push_back({rows, tiles / rows});
  if (tiles <= manyTiles || grids.size() <= 2)
    return grids;
  size_t middle = grids.size() / 2;
  if (grids.size() % 2 == 1)
    return {grids[middle]};
  return {grids[middle - 1], grids[middle]};
}

/// The split of one loop over all tiles.
LoopSplit splitOf(const OpAccess &access, unsigned loop, int64_t tiles) {
  return {fmt::format("split d{} over {}", loop, tiles),
          split(access, loop, tiles),
          {loop}};
}

} // namespace

std::vector<LoopSplit> loopSplits(const OpAccess &access, int64_t tiles) {
  std::vector<LoopSplit> splits;
  SmallVector<unsigned> loops = splittableLoops(access);
  IterationDomain all = access.domain();
  if (tiles > 1) {
    for (unsigned loop : loops)
      splits.push_back(splitOf(access, loop, tiles));
    for (auto [rows, columns] : gridsOf(tiles))
      for (size_t first = 0; first < loops.size(); ++first)
        for (size_t second = first + 1; second < loops.size(); ++second) {
          unsigned slow = loops[first], fast = loops[second];
          if (all.loops[slow].extent() >= rows &&
              all.loops[fast].extent() >= columns)
            splits.push_back({fmt::format("split d{} over {} and d{} over {}",
                                          slow, rows, fast, columns),
                              split(access, {slow, fast}, {rows, columns}),
                              {slow, fast}});
        }
    splits.push_back({"duplicated", TileIterations(tiles, all)});
  }
  splits.push_back({"one tile", TileIterations(1, all)});
  return splits;
}

std::vector<LoopSplit> reductionLoopSplits(const OpAccess &access,
                                           int64_t tiles) {
  std::vector<LoopSplit> splits;
  if (tiles == 1)
    return splits;
  SmallVector<unsigned> loops = splittableLoops(access, /*thatReduce=*/true);
  IterationDomain all = access.domain();
  llvm::sort(loops, [&](unsigned a, unsigned b) {
    return std::pair(-all.loops[a].extent(), a) <
           std::pair(-all.loops[b].extent(), b);
  });
  if (loops.size() > mostReductionLoops)
    loops.resize(mostReductionLoops);
  for (unsigned loop : loops)
    splits.push_back(splitOf(access, loop, tiles));
  return splits;
}

} // namespace npu
