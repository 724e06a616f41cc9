// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits of an operation's loops over tiles.

#ifndef NPU_ANALYSIS_CANDIDATES_LOOPSPLITS_H
#define NPU_ANALYSIS_CANDIDATES_LOOPSPLITS_H

#include "npu/Analysis/Choices/TileIterations.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <string>

namespace npu {

struct LoopSplit {
  /// Such as "split d0 over 2 and d1 over 2".
  std::string what;
  TileIterations iterations;
  /// The loops that are split; none where all tiles do the same.
  llvm::SmallVector<unsigned, 2> loops = {};
  /// Whether the loop is also split evenly over all tiles.
  bool isVariant = false;
};

/// Loops that a device wants to be split at multiples of some entries.
struct SplitAlignment {
  llvm::SmallVector<unsigned> loops = {};
  int64_t entries = 1;
};

/// For each loop, the iterations between places where it may be split, by all
/// tensors of the operation (`multipleOfCuts`).
llvm::SmallVector<int64_t> splitMultiples(mlir::Operation *op,
                                          const OpAccess &access);

/// Every parallel loop of more than one iteration, split over all tiles; two of
/// them as a grid, in every pair of factors; all tiles the same; one tile.
/// Splits are balanced, so that of 10 iterations four tiles run 3, 3, 2 and 2;
/// of 2 iterations two tiles run none. On more than eight tiles, grids have the
/// two factors closest to each other in both orders, and nothing else, so that
/// the number of candidates does not grow with the tiles.
///
/// On several machines, where all have as many tiles, each of two loops also
/// over the machines and the other over the tiles of each: tiles of one machine
/// then differ in one loop only.
///
/// After these, more splits of each loop by itself: where tiles do not divide
/// it, as ceil, so that of 10 iterations four tiles run 3, 3, 3 and 1; where it
/// is to be aligned, at multiples of so many elements, the last one less; and
/// over fewer tiles, over 2 and 3 of four, and of more over the two largest
/// numbers that divide theirs, and over those of the first machine. Every split
/// is at multiples of `multiples` (splitMultiples), where there are some.
std::vector<LoopSplit> loopSplits(const OpAccess &access, int64_t tiles,
                                  const SplitAlignment &aligned = {},
                                  llvm::ArrayRef<int64_t> multiples = {},
                                  Machines machines = {});

/// Loops that reduce, of more than one iteration, each split over all tiles: at
/// most two of them, the longest ones.
std::vector<LoopSplit>
reductionLoopSplits(const OpAccess &access, int64_t tiles,
                    llvm::ArrayRef<int64_t> multiples = {});

} // namespace npu

#endif // NPU_ANALYSIS_CANDIDATES_LOOPSPLITS_H
