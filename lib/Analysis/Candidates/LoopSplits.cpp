// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Candidates/LoopSplits.h"
#include "npu/Analysis/Choices/LoopCuts.h"
#include "npu/Placement/Distributions/Placement.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <numeric>

using namespace mlir;

namespace npu {
namespace {

/// Up to this number of tiles, loops are split over every number of them.
constexpr int64_t fewTiles = 4;
/// From this number of tiles on, not every grid is tried.
constexpr int64_t manyTiles = 8;
/// The most loops that reduce of which each is split.
constexpr size_t mostReductionLoops = 2;

/// The iterations where `loop` of each of `iterations` runs through one of
/// `ranges`, the faster loop of both.
TileIterations cut(const TileIterations &iterations, unsigned loop,
                   const std::vector<Range> &ranges) {
  TileIterations finer;
  for (const IterationDomain &coarse : iterations)
    for (Range range : ranges) {
      IterationDomain part = coarse;
      part.loops[loop] = range;
      part.empty |= range.isEmpty();
      finer.push_back(part);
    }
  return finer;
}

/// Smaller numbers of tiles that a loop is split over as well: all of them on
/// few tiles, and on more the two largest that divide their number, and the
/// tiles of one machine.
SmallVector<int64_t> smallerCounts(int64_t tiles, Machines machines) {
  SmallVector<int64_t> counts;
  for (int64_t count = tiles - 1; count > 1; --count)
    if (tiles <= fewTiles || (tiles % count == 0 && counts.size() < 2))
      counts.push_back(count);
  int64_t ofOne = machines.tilesEach;
  if (ofOne > 1 && ofOne < tiles && !llvm::is_contained(counts, ofOne))
    counts.push_back(ofOne);
  return counts;
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

class Splitter {
public:
  Splitter(const OpAccess &access, int64_t tiles, ArrayRef<int64_t> multiples)
      : access(access), tiles(tiles), all(access.domain()),
        multiples(multiples) {}

  std::vector<LoopSplit> parallel(const SplitAlignment &aligned,
                                  Machines machines) {
    SmallVector<unsigned> loops = splittableLoops(/*thatReduce=*/false);
    if (tiles > 1) {
      for (unsigned loop : loops)
        split(loop);
      for (auto [rows, columns] : gridsOf(tiles))
        for (size_t first = 0; first < loops.size(); ++first)
          for (size_t second = first + 1; second < loops.size(); ++second)
            splitAsGrid(loops[first], rows, loops[second], columns);
      if (machines.areSeveral() && tiles % machines.tilesEach == 0)
        splitOverMachines(loops, machines.tilesEach);
      splits.push_back({"duplicated", TileIterations(tiles, all)});
    }
    splits.push_back({"one tile", TileIterations(1, all)});
    if (tiles > 1)
      for (unsigned loop : loops)
        splitOtherwise(loop, aligned, machines);
    return std::move(splits);
  }

  std::vector<LoopSplit> reductions() {
    if (tiles == 1)
      return {};
    SmallVector<unsigned> loops = splittableLoops(/*thatReduce=*/true);
    llvm::sort(loops, [&](unsigned a, unsigned b) {
      return std::pair(-extentOf(a), a) < std::pair(-extentOf(b), b);
    });
    if (loops.size() > mostReductionLoops)
      loops.resize(mostReductionLoops);
    for (unsigned loop : loops)
      split(loop);
    return std::move(splits);
  }

private:
  int64_t extentOf(unsigned loop) const { return all.loops[loop].extent(); }
  int64_t multipleOf(unsigned loop) const {
    return multiples.empty() ? 1 : multiples[loop];
  }

  /// Loops of more than one iteration, those that reduce or the others.
  SmallVector<unsigned> splittableLoops(bool thatReduce) const {
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < all.loops.size(); ++loop)
      if (extentOf(loop) > 1 && multipleOf(loop) != 0 &&
          llvm::is_contained(access.reductions(), loop) == thatReduce)
        loops.push_back(loop);
    return loops;
  }

  std::vector<Range> parts(unsigned loop, int64_t count,
                           Split rule = Split::Balanced,
                           int64_t alignment = 1) const {
    return splitExtent(extentOf(loop), count, rule,
                       std::lcm(alignment, multipleOf(loop)));
  }

  void split(unsigned loop) {
    splits.push_back({fmt::format("split d{} over {}", loop, tiles),
                      cut({all}, loop, parts(loop, tiles)),
                      {loop}});
  }

  void splitAsGrid(unsigned slow, int64_t rows, unsigned fast,
                   int64_t columns) {
    std::string what = fmt::format("split d{} over {} and d{} over {}", slow,
                                   rows, fast, columns);
    bool isKnown = llvm::any_of(
        splits, [&](const LoopSplit &each) { return each.what == what; });
    if (!isKnown && extentOf(slow) >= rows && extentOf(fast) >= columns)
      splits.push_back(
          {std::move(what),
           cut(cut({all}, slow, parts(slow, rows)), fast, parts(fast, columns)),
           {slow, fast}});
  }

  /// One loop over the machines, and the other over the tiles of each.
  void splitOverMachines(ArrayRef<unsigned> loops, int64_t tilesEach) {
    int64_t count = tiles / tilesEach;
    if (count == 1 || tilesEach == 1)
      return;
    for (unsigned slow : loops)
      for (unsigned fast : loops)
        if (slow != fast)
          splitAsGrid(slow, count, fast, tilesEach);
  }

  void splitOtherwise(unsigned loop, const SplitAlignment &aligned,
                      Machines machines) {
    int64_t extent = extentOf(loop);
    auto add = [&](std::string what, const std::vector<Range> &ranges) {
      splits.push_back(
          {std::move(what), cut({all}, loop, ranges), {loop}, true});
    };
    if (extent > tiles && extent % tiles != 0)
      add(fmt::format("split d{} over {}, as ceil", loop, tiles),
          parts(loop, tiles, Split::Ceil));
    if (llvm::is_contained(aligned.loops, loop) && extent > aligned.entries &&
        extent % (tiles * aligned.entries) != 0)
      add(fmt::format("split d{} over {}, by {}", loop, tiles, aligned.entries),
          parts(loop, tiles, Split::Balanced, aligned.entries));
    for (int64_t count : smallerCounts(tiles, machines))
      if (extent >= count)
        add(fmt::format("split d{} over {}", loop, count), parts(loop, count));
  }

  const OpAccess &access;
  int64_t tiles;
  IterationDomain all;
  ArrayRef<int64_t> multiples;
  std::vector<LoopSplit> splits;
};

} // namespace

SmallVector<int64_t> splitMultiples(Operation *op, const OpAccess &access) {
  SmallVector<int64_t> multiples(access.domain().loops.size(), 1);
  auto see = [&](Type given, AffineMap map) {
    auto type = dyn_cast<RankedTensorType>(given);
    if (!type || !map)
      return;
    for (auto [loop, multiple] : llvm::enumerate(multiples))
      multiple =
          std::lcm(multiple, multipleOfCuts(type, map, [&](unsigned each) {
                     return each == loop;
                   }));
  };
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
    see(op->getOperand(operand).getType(), access.mapOf(operand));
  for (auto [number, type] : llvm::enumerate(op->getResultTypes()))
    see(type, access.mapOfResult(number));
  return multiples;
}

std::vector<LoopSplit> loopSplits(const OpAccess &access, int64_t tiles,
                                  const SplitAlignment &aligned,
                                  ArrayRef<int64_t> multiples,
                                  Machines machines) {
  return Splitter(access, tiles, multiples).parallel(aligned, machines);
}

std::vector<LoopSplit> reductionLoopSplits(const OpAccess &access,
                                           int64_t tiles,
                                           ArrayRef<int64_t> multiples) {
  return Splitter(access, tiles, multiples).reductions();
}

} // namespace npu
