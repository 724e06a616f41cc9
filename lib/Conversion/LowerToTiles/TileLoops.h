// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the loops of a tile's structured operations run over all that they
// have to, and read no more than there is. npu-verify-tile-program asks for it.

#ifndef NPU_LIB_CONVERSION_LOWERTOTILES_TILELOOPS_H
#define NPU_LIB_CONVERSION_LOWERTOTILES_TILELOOPS_H

#include "npu/Interfaces/OpAccess.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace npu {

/// What a slice of the model takes of its whole tensor, in memory order.
struct ModelSlice {
  llvm::ArrayRef<int64_t> offsets, sizes, strides;
};

/// The slice of the model that `op`, a tile's, takes a part of, as `npu.offset`
/// says it; nothing where `op` only cuts its own part, or is no slice.
std::optional<ModelSlice> modelSliceOf(mlir::Operation *op);

/// Compares the extents of operands with those of loops, and of what is reduced
/// with those of the tensors that it is a part of.
///
/// Example: a tile that adds up rows of `%b = tensor.extract_slice
/// %a[0, 0] [8, 5] [1, 1] : tensor<8x6xf32> to tensor<8x5xf32>` leaves a column
/// out, unless `npu.offset` says that the model takes five columns; so does one
/// that loads only five columns of a tensor<8x6xf32>.
class TileLoops {
public:
  /// Verifies an operation of a tile; succeeds for those without loops.
  mlir::LogicalResult verify(mlir::Operation *op);

  /// Whether it follows from tensors in DDR and slices of the model how often a
  /// tile's operation runs each loop that is in no result's map, so that
  /// `npu.extents` would say it once more.
  bool followFromTensors(mlir::Operation *op);

private:
  /// Where it is known how many entries a dimension of a whole tensor has.
  struct Whole {
    int64_t extent;
    /// The load or the slice of the model that says so.
    mlir::Operation *says;
  };
  /// How many entries the tensor that `value` is a part of has in this
  /// dimension, as far as that follows from tensors in DDR and slices of the
  /// model.
  std::optional<Whole> wholeOf(mlir::Value value, int64_t dim);
  /// The operands' dimensions that a loop reads as they are, of which that is
  /// known.
  struct ReadWhole {
    mlir::Value value;
    int64_t dim;
    Whole whole;
  };
  llvm::SmallVector<ReadWhole>
  wholesRead(mlir::Operation *op, const OpAccess &access, unsigned loop);
  /// Verifies that a tile runs a loop that is in no result's map as often as
  /// the model does.
  mlir::LogicalResult verifyWhole(mlir::Operation *op);

  llvm::DenseMap<std::pair<mlir::Value, int64_t>, std::optional<Whole>> wholes;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_LOWERTOTILES_TILELOOPS_H
