// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the loops of a tile's structured operations run over all that they
// have to, and read no more than there is. npu-verify-tile-program asks for it.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_TILELOOPS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_TILELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace npu {

/// What a slice of the model takes of its whole tensor, in memory order.
struct ModelSlice {
  llvm::ArrayRef<int64_t> offsets, sizes, strides;
};

/// The slice of the model that `op`, a tile's, takes a part of, as `npu.offset`
/// says it; nothing where `op` only cuts its own part, or is no slice.
std::optional<ModelSlice> modelSliceOf(mlir::Operation *op);

/// Whether a tile runs all iterations of this loop for each entry that it
/// makes: the loop is in the map of no result.
bool isReducedWhole(mlir::linalg::LinalgOp op, unsigned loop);

/// Compares the extents of operands with those of loops, and of what is reduced
/// with those of the tensors that it is taken from.
///
/// Example: a tile that adds up rows of `%b = tensor.extract_slice
/// %a[0, 0] [8, 5] [1, 1] : tensor<8x6xf32> to tensor<8x5xf32>` leaves a column
/// out, unless `npu.offset` says that the model takes five columns.
class TileLoops {
public:
  /// Verifies a structured operation of a tile; succeeds for others.
  mlir::LogicalResult verify(mlir::Operation *op);

private:
  /// Verifies that this dimension of `value`, which `op` reduces, has all
  /// entries of its tensor: no slice of a tile has cut it.
  mlir::LogicalResult verifyWhole(mlir::Operation *op, mlir::Value value,
                                  int64_t dim);

  /// The dimensions of values that have all entries of their tensors.
  llvm::DenseSet<std::pair<mlir::Value, int64_t>> whole;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_TILELOOPS_H
