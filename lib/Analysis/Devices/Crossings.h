// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which transfers of a tile program bring data to a host fallback and
// take its results to tiles.

#ifndef NPU_LIB_ANALYSIS_DEVICES_CROSSINGS_H
#define NPU_LIB_ANALYSIS_DEVICES_CROSSINGS_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

namespace npu {

class Crossings {
public:
  /// The bytes of the transfers from tiles that put operands of `op` together,
  /// also after slices and reshapes, without those that were counted before.
  int64_t fromTiles(mlir::Operation *op);

  /// The bytes of the transfers that bring results of `op` to tiles, in each
  /// scratchpad once, without those that were counted before.
  int64_t toTiles(mlir::Operation *op);

private:
  llvm::SmallPtrSet<mlir::Operation *, 16> counted;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_DEVICES_CROSSINGS_H
