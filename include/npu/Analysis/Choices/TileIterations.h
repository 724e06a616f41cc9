// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iterations of an operation that each tile runs, and whether the tile
// holds what these read and write.

#ifndef NPU_ANALYSIS_CHOICES_TILEITERATIONS_H
#define NPU_ANALYSIS_CHOICES_TILEITERATIONS_H

#include "npu/Interfaces/OpAccess.h"

#include <vector>

namespace npu {

/// The iterations that each tile runs.
using TileIterations = std::vector<IterationDomain>;

/// The iterations by which each tile produces its memory boxes of results that
/// have these types.
TileIterations iterationsForMemory(const OpAccess &access,
                                   mlir::TypeRange types);

/// The iterations by which each tile produces its memory (or compute) boxes of
/// the operation's results. Empty when no result is distributed.
inline TileIterations iterationsForMemory(const OpAccess &access,
                                          mlir::Operation *op) {
  return iterationsForMemory(access, op->getResultTypes());
}
TileIterations iterationsForCompute(const OpAccess &access,
                                    mlir::Operation *op);

/// A tile that does not hold what it reads.
struct Shortage {
  unsigned operand;
  std::size_t tile;
  Box reads;
  Box holds;
  Box produces;
};

/// A tile that would have to write beyond what it holds of a result. Writing
/// more than is held is harmless where the surplus can be thrown away. It
/// cannot be where the operation reads its output: an entry would be updated
/// twice, or is on the tile only in part.
struct Overrun {
  unsigned result;
  std::size_t tile;
  Box writes;
  Box holds;
};

/// The first operand and tile, in that order, where memory does not hold what
/// the tile reads. Operands that an output overwrites are left out.
std::optional<Shortage> findShortage(const OpAccess &access,
                                     mlir::Operation *op,
                                     const TileIterations &iterations);

/// The first result and tile, in that order, where `iterations` write beyond
/// what the tile holds under `types`, one per result. Tiles cannot run such an
/// operation part by part: it falls back to the host.
std::optional<Overrun> findOverrun(const OpAccess &access, mlir::Operation *op,
                                   const TileIterations &iterations,
                                   mlir::TypeRange types);

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_TILEITERATIONS_H
