// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rank's memory a buffer of a tile program is in.

#ifndef NPU_LIB_CONVERSION_RANKS_BUFFERHOMES_H
#define NPU_LIB_CONVERSION_RANKS_BUFFERHOMES_H

#include "../Threads/BufferAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// The home of what every rank has: arguments that nothing writes, constants.
inline constexpr int64_t everyRank = -1;

class BufferHomes {
public:
  /// Finds the homes of the buffers of a function. Its tiles, at least
  /// `leastTiles`, are divided among `ranks` ranks.
  BufferHomes(mlir::func::FuncOp function, int64_t ranks, int64_t leastTiles);

  /// The rank whose memory the access touches, or everyRank.
  int64_t homeOf(const BufferAccess &access) const;
  /// The rank of a tile: of 5 tiles on 2 ranks, 0 to 2 are on rank 0.
  int64_t rankOfTile(int64_t tile) const { return tile * ranks / tiles; }

private:
  void note(mlir::Operation *op);

  int64_t ranks;
  int64_t tiles = 1;
  /// Of allocations and arguments in DDR.
  llvm::DenseMap<mlir::Value, int64_t> homes;
  /// Whether an operation reads, or writes, a buffer in DDR whose allocation is
  /// not known. It may be any allocation: so all of them are on rank 0.
  bool readsUnknown = false, writesUnknown = false;
};

/// Whether the operation is one that the same values reach on every rank: it
/// touches no buffer, nor does anything inside of it.
bool touchesNoBuffer(mlir::Operation *op);

} // namespace npu

#endif // NPU_LIB_CONVERSION_RANKS_BUFFERHOMES_H
